import { isAddress, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { parseBytes, parseQuantity, parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';

const WORD = /^0x[0-9a-fA-F]{64}$/;
const MAX_TOPICS = 4;
/** More logs than the gas of any block can pay for. */
const MAX_LOG_INDEX = 2n ** 31n;

/** One event of a contract, in a mined block. */
export interface Log {
  readonly address: Address;
  /** 32 bytes each, lower case. */
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  /** Position in the block. */
  readonly logIndex: bigint;
}

/** One log, well-formed and mined. Throws {@link UnexpectedAnswerError}. */
export function parseLog(value: unknown): Log {
  const log = parseRecord(value, 'log');
  if (log['removed'] === true) throw new UnexpectedAnswerError('log', 'is of a block that was removed');
  const { address, topics } = log;
  if (!isAddress(address)) throw new UnexpectedAnswerError('log.address');
  if (!Array.isArray(topics) || topics.length > MAX_TOPICS) throw new UnexpectedAnswerError('log.topics');
  const logIndex = parseQuantity(log['logIndex'], 'log.logIndex');
  if (logIndex > MAX_LOG_INDEX) throw new UnexpectedAnswerError('log.logIndex');
  return {
    address: normalizeAddress(address),
    topics: topics.map((topic) => parseWord(topic, 'log.topics')),
    data: parseBytes(log['data'], 'log.data'),
    blockNumber: parseQuantity(log['blockNumber'], 'log.blockNumber'),
    blockHash: parseWord(log['blockHash'], 'log.blockHash'),
    transactionHash: parseWord(log['transactionHash'], 'log.transactionHash'),
    logIndex,
  };
}

/** 32 bytes, in lower case. */
export function parseWord(value: unknown, what: string): Hex {
  if (typeof value !== 'string' || !WORD.test(value)) throw new UnexpectedAnswerError(what);
  return value.toLowerCase() as Hex;
}
