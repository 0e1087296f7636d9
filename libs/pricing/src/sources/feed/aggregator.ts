import { isHexBytes, type Address, type Hex } from '@paymaster/domain';
import type { ContractReader } from './contract-reader';

/** `latestRoundData()` of Chainlink's AggregatorV3Interface. */
export interface FeedRound {
  readonly roundId: bigint;
  readonly answer: bigint;
  /** Unix seconds on chain; for a sequencer feed, the time at which the answer became true. */
  readonly startedAt: bigint;
  /** Unix seconds on chain; zero while the round is not complete. */
  readonly updatedAt: bigint;
  readonly answeredInRound: bigint;
}

const LATEST_ROUND_DATA: Hex = '0xfeaf968c';
const DECIMALS: Hex = '0x313ce567';
/**
 * Several times the gas that a feed needs. A feed that uses more fails quickly, and its answer cannot be too large for
 * a node.
 */
const FEED_GAS = 500_000n;

export async function readLatestRound(reader: ContractReader, feed: Address): Promise<FeedRound> {
  const returned = await reader.ethCall({ to: feed, data: LATEST_ROUND_DATA, gas: FEED_GAS }, asBytes);
  const [roundId = 0n, answer = 0n, startedAt = 0n, updatedAt = 0n, answeredInRound = 0n] = words(returned, 5);
  return { roundId, answer: BigInt.asIntN(256, answer), startedAt, updatedAt, answeredInRound };
}

export async function readDecimals(reader: ContractReader, feed: Address): Promise<bigint> {
  const [decimals = 0n] = words(await reader.ethCall({ to: feed, data: DECIMALS, gas: FEED_GAS }, asBytes), 1);
  return decimals;
}

/**
 * Throws only on answers that prove the node faulty. Owners name feeds too, and a contract that is not a feed must not
 * count as a failure of the node.
 */
function asBytes(returned: unknown): Hex {
  if (!isHexBytes(returned)) throw new TypeError('the answer of eth_call is not bytes');
  return returned;
}

/** The ABI words of return data; exactly `count`, so that an address without code (`0x`) is no feed. */
function words(returned: Hex, count: number): bigint[] {
  if (returned.length !== 2 + count * 64) throw new TypeError('the contract is no price feed');
  return Array.from({ length: count }, (_, index) => BigInt(`0x${returned.slice(2 + index * 64, 66 + index * 64)}`));
}
