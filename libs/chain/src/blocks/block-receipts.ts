import { parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';
import type { AgreedRead } from '../providers/agreement';
import type { BlockHeader } from '../providers/block-header';
import { parseLog, parseWord, type Log } from '../providers/log';
import { distinctLogs, logsKey } from './distinct-logs';
import { LogsBloom } from './logs-bloom';
import type { ServedContracts } from './served-contracts';

/** As much as the logs of a block of 256 million gas can hold, because logs cost their sender gas. */
const MAX_RECEIPTS_BYTES = 67_108_864;

/**
 * The logs of the served contracts in a block, from its receipts. Unlike an answer of `eth_getLogs`, receipts show
 * whether something is missing: all logs of a block together set every bit of the bloom filter in its header.
 */
export function receiptsRead(header: BlockHeader, contracts: ServedContracts): AgreedRead<readonly Log[]> {
  return {
    method: 'eth_getBlockReceipts',
    params: [header.hash],
    parse: (value) => {
      const all = distinctLogs(parseReceipts(value, header));
      if (!new LogsBloom(header.logsBloom).isExplainedBy(all))
        throw new UnexpectedAnswerError('eth_getBlockReceipts', 'leaves out logs that the header knows of');
      return all.filter((log) => contracts.concerns(log));
    },
    key: logsKey,
    maxAnswerBytes: MAX_RECEIPTS_BYTES,
  };
}

function parseReceipts(value: unknown, { hash, number }: BlockHeader): Log[] {
  if (!Array.isArray(value)) throw new UnexpectedAnswerError('eth_getBlockReceipts');
  return value.flatMap((entry) => {
    const receipt = parseRecord(entry, 'receipt');
    const transactionHash = parseWord(receipt['transactionHash'], 'receipt.transactionHash');
    const logs: unknown = receipt['logs'];
    if (!Array.isArray(logs)) throw new UnexpectedAnswerError('receipt.logs');
    return logs.map((one) => {
      const log = parseLog(one);
      if (log.blockHash !== hash || log.blockNumber !== number || log.transactionHash !== transactionHash)
        throw new UnexpectedAnswerError('eth_getBlockReceipts', 'holds a log of another block or transaction');
      return log;
    });
  });
}
