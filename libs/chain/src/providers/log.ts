import { isAddress, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { parseBytes, parseQuantity, parseRecord, toQuantity, UnexpectedAnswerError } from '../json-rpc/parse';

const WORD = /^0x[0-9a-fA-F]{64}$/;
const MAX_TOPICS = 4;
/** No block pays for so many. */
const MAX_LOG_INDEX = 2n ** 31n;

/** Which logs are wanted; all bounds inclusive. */
export interface LogFilter {
  /** One contract, or any of several. */
  readonly address: Address | readonly Address[];
  /** By position: a topic, any of several, or null for whatever it is. */
  readonly topics: ReadonlyArray<Hex | readonly Hex[] | null>;
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

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

export function toWireFilter({ address, topics, fromBlock, toBlock }: LogFilter): Record<string, unknown> {
  return { address, topics, fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
}

/**
 * The answer to `eth_getLogs`, every entry well-formed, mined and one that was asked for.
 *
 * @throws {UnexpectedAnswerError}
 */
export function parseLogs(value: unknown, filter: LogFilter): readonly Log[] {
  if (!Array.isArray(value)) throw new UnexpectedAnswerError('eth_getLogs');
  return value.map((entry) => {
    const log = parseLog(entry);
    if (!isAskedFor(log, filter)) throw new UnexpectedAnswerError('eth_getLogs', 'holds a log that was not asked for');
    return log;
  });
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

function isAskedFor(log: Log, { address, topics, fromBlock, toBlock }: LogFilter): boolean {
  const isOneOf = (found: Hex | undefined, wanted: Hex | readonly Hex[]) =>
    found !== undefined && [wanted].flat().some((one) => one.toLowerCase() === found);
  return (
    isOneOf(log.address, address) &&
    log.blockNumber >= fromBlock &&
    log.blockNumber <= toBlock &&
    topics.every((wanted, index) => wanted === null || isOneOf(log.topics[index], wanted))
  );
}

/** 32 bytes, in lower case. */
export function parseWord(value: unknown, what: string): Hex {
  if (typeof value !== 'string' || !WORD.test(value)) throw new UnexpectedAnswerError(what);
  return value.toLowerCase() as Hex;
}
