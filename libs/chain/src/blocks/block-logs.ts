import type { Hex } from '@paymaster/domain';
import { JsonRpcResponseError, JsonRpcTransportError } from '../json-rpc/json-rpc-errors';
import { toQuantity, UnexpectedAnswerError } from '../json-rpc/parse';
import type { AgreedChain } from '../providers/agreed-chain';
import type { AgreedRead } from '../providers/agreement';
import type { BlockHeader } from '../providers/block-header';
import { parseLog, type Log } from '../providers/log';
import { NotAgreedError } from '../providers/not-agreed.error';
import { receiptsRead } from './block-receipts';
import { distinctLogs, logsKey } from './distinct-logs';
import { ASKED_EVENTS, ENTRY_POINT_EVENTS, PAYMASTER_EVENTS } from './event-topics';
import { LogsBloom } from './logs-bloom';
import { mapBounded } from './map-bounded';
import type { ServedContracts } from './served-contracts';

const MAX_LOGS_BYTES = 16_777_216;
/** Blocks in one request; many nodes refuse more than some hundreds. Halved while they refuse, then grown again. */
const MAX_RANGE = 100;
/**
 * How many blocks are added to the range after each full answer; few, because a request that is too large is wasted.
 */
const GROWTH = 0.2;
const CONCURRENT_READS = 8;
const CONCURRENT_RANGES = 2;

/** A block with the logs of the served contracts in it, checked and complete. */
export interface BlockWithLogs {
  readonly header: BlockHeader;
  readonly logs: readonly Log[];
}

/**
 * Reads the logs of blocks whose headers are known, and accepts no answer that the headers contradict.
 *
 * Indexes of logs are the least reliable part of a node: they have gaps. So logs that concern money are read a second
 * way. A header's bloom filter says for certain which of our contracts a block does not touch. A block that may touch
 * one of our paymasters is read from its receipts, and the bloom filter shows whether those are complete. Nearly every
 * block has logs of an EntryPoint. So for these logs the agreement of several providers is enough, if there are
 * several.
 */
export class BlockLogs {
  private range = MAX_RANGE;

  constructor(
    private readonly chain: Pick<AgreedChain, 'read' | 'providerCount'>,
    private readonly contracts: ServedContracts,
    /** Called with logs that `eth_getLogs` had left out. */
    private readonly onFault: (error: Error) => void,
  ) {}

  /**
   * @param headers of blocks in a row
   * @param by `range` asks for many blocks at once; `hash` asks for each block alone, where blocks may still be
   *   replaced
   * @throws {DependencyUnavailableError} `chain`
   */
  async read(headers: readonly BlockHeader[], by: 'range' | 'hash'): Promise<readonly BlockWithLogs[]> {
    const found =
      by === 'hash'
        ? (await mapBounded(headers, CONCURRENT_READS, (header) => this.ask([header]))).flat()
        : await this.askInRanges(headers);
    const byBlock = new Map<Hex, Log[]>(headers.map(({ hash }) => [hash, []]));
    for (const log of found) byBlock.get(log.blockHash)?.push(log);
    return mapBounded(headers, CONCURRENT_READS, async (header) => ({
      header,
      logs: await this.complete(header, byBlock.get(header.hash)!),
    }));
  }

  /** As many blocks at a time as the nodes have lately answered. */
  private async askInRanges(headers: readonly BlockHeader[]): Promise<readonly Log[]> {
    const found: Log[] = [];
    let next = 0;
    const reader = async (): Promise<void> => {
      while (next < headers.length) {
        const chunk = headers.slice(next, next + Math.floor(this.range));
        next += chunk.length;
        found.push(...(await this.ask(chunk)));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_RANGES }, reader));
    return found;
  }

  /** `eth_getLogs` over blocks; in parts where nodes refuse, answer too much or disagree. */
  private async ask(headers: readonly BlockHeader[]): Promise<readonly Log[]> {
    try {
      const logs = await this.chain.read(this.logsRead(headers));
      if (headers.length >= Math.floor(this.range)) this.range = Math.min(MAX_RANGE, this.range + GROWTH);
      return logs;
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      // A single block on which providers disagree: its receipts decide, see `complete`.
      if (headers.length === 1) return [];
    }
    this.range = Math.min(this.range, Math.ceil(headers.length / 2));
    const found: Log[] = [];
    for (let first = 0; first < headers.length;) {
      const part = headers.slice(first, first + Math.floor(this.range));
      first += part.length;
      found.push(...(await this.ask(part)));
    }
    return found;
  }

  private logsRead(headers: readonly BlockHeader[]): AgreedRead<readonly Log[]> {
    const [first, last] = [headers[0]!, headers.at(-1)!];
    const blooms = new Map(headers.map(({ hash, logsBloom }) => [hash, new LogsBloom(logsBloom)]));
    const blocks =
      first === last
        ? { blockHash: first.hash }
        : { fromBlock: toQuantity(first.number), toBlock: toQuantity(last.number) };
    const address = [...this.contracts.paymasters, ...this.contracts.entryPoints];
    return {
      method: 'eth_getLogs',
      params: [{ address, topics: [ASKED_EVENTS], ...blocks }],
      parse: (value) => {
        if (!Array.isArray(value)) throw new UnexpectedAnswerError('eth_getLogs');
        const logs = distinctLogs(value.map(parseLog));
        for (const log of logs) {
          if (!isAskedFor(log, this.contracts))
            throw new UnexpectedAnswerError('eth_getLogs', 'holds a log that was not asked for');
          // Matched by hash: a log of a replaced block, or of another range, fits no header here.
          if (!blooms.get(log.blockHash)?.mayHoldLog(log))
            throw new UnexpectedAnswerError('eth_getLogs', 'holds a log that is in none of the blocks');
        }
        return logs;
      },
      key: logsKey,
      maxAnswerBytes: MAX_LOGS_BYTES,
      mayBeTooMuch: headers.length > 1,
    };
  }

  private async complete(header: BlockHeader, found: readonly Log[]): Promise<readonly Log[]> {
    if (!this.mayMissLogs(header, found)) return found;
    const logs = await this.chain.read(receiptsRead(header, this.contracts));
    const asked = logs.filter((log) => isAskedFor(log, this.contracts));
    if (logsKey(asked) !== logsKey(found)) {
      // The receipts contain all logs: they explain the whole bloom filter, and the same providers agree on them.
      const message = `block ${header.number}: eth_getLogs gave ${found.length} logs, the receipts ${asked.length}`;
      this.onFault(new Error(message));
    }
    return logs;
  }

  /** Whether, by the header, the block may have more logs of contracts that concern money. */
  private mayMissLogs({ logsBloom }: BlockHeader, found: readonly Log[]): boolean {
    const bloom = new LogsBloom(logsBloom);
    const { paymasters, entryPoints } = this.contracts;
    if (
      paymasters.some((paymaster) => bloom.mayHold(paymaster)) &&
      PAYMASTER_TOPICS.some((topic) => bloom.mayHold(topic))
    )
      return true;
    if (!bloom.mayHold(ENTRY_POINT_EVENTS.UserOperationEvent)) return false;
    const unseen =
      this.chain.providerCount === 1
        ? entryPoints
        : entryPoints.filter((entryPoint) => !found.some(({ address }) => address === entryPoint));
    return unseen.some((entryPoint) => bloom.mayHold(entryPoint));
  }
}

const PAYMASTER_TOPICS = Object.values(PAYMASTER_EVENTS);

function isAskedFor(log: Log, contracts: ServedContracts): boolean {
  return contracts.concerns(log) && ASKED_EVENTS.includes(log.topics[0]!);
}

/** Whether a smaller request may succeed: this one was refused, or its answer was too long, too slow or disputed. */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof NotAgreedError)) return false;
  return error.answers > 1 || error.faults.some(isRefusal);
}

function isRefusal(fault: unknown): boolean {
  if (fault instanceof JsonRpcResponseError) return true;
  if (!(fault instanceof JsonRpcTransportError)) return false;
  return fault.fault === 'tooLarge' || fault.fault === 'timeout' || (fault.status ?? 0) === 413;
}
