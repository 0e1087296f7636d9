import { parseQuantity, parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';

/**
 * The percentiles of a block's gas at which tips are read: its cheap third, its middle, and its most expensive tenth.
 */
export const REWARD_PERCENTILES = [30, 50, 90] as const;

/** The tips of one block's transactions, lowest first, weighed by the gas that they used. */
export interface BlockTips {
  /** How full the block was; 1 is its gas limit. */
  readonly fullness: number;
  /** Wei per gas. */
  readonly baseFeeWei: bigint;
  /** At {@link REWARD_PERCENTILES}; wei per gas. */
  readonly cheapWei: bigint;
  readonly middleWei: bigint;
  readonly dearWei: bigint;
}

/** The tips that a chain lately paid to those who make its blocks; wei per gas. */
export interface PaidTips {
  readonly cheapWei: bigint;
  readonly middleWei: bigint;
  readonly dearWei: bigint;
}

/**
 * The percentile of the window, by gas, at which the paid tip is read: an attacker has to use more than the other 60 %.
 */
const WINDOW_PERCENTILE = 0.6;
/**
 * The weight of the long memory in a window of empty blocks, in full blocks. Without it the sender of the few
 * transactions in such a window would set the tip. The fuller the window is, the less the memory weighs.
 */
const MEMORY_WEIGHT = 4;

/** How much the base fee may have fallen since. Tips that were paid at a much higher base fee do not count. */
export const SAME_MARKET = 4n;

/**
 * The tip at which most of the gas of these blocks was included.
 *
 * @param memory what the chain paid over the last day, if that is known
 * @returns undefined when the blocks are empty and there is no memory
 */
export function paidTips(blocks: readonly BlockTips[], memory?: PaidTips): PaidTips | undefined {
  const newest = blocks.at(-1)?.baseFeeWei ?? 0n;
  const weighed = blocks.filter(({ fullness, baseFeeWei }) => fullness > 0 && baseFeeWei <= SAME_MARKET * newest);
  const used = weighed.reduce((sum, { fullness }) => sum + fullness, 0);
  const all: ReadonlyArray<PaidTips & { fullness: number }> = memory
    ? [...weighed, { ...memory, fullness: MEMORY_WEIGHT * (1 - used / blocks.length) }]
    : weighed;
  if (all.length === 0) return undefined;
  return mapTips((tip) => percentile(all, tip));
}

function percentile(blocks: ReadonlyArray<PaidTips & { readonly fullness: number }>, tip: keyof PaidTips): bigint {
  const sorted = [...blocks].sort((one, other) => (one[tip] < other[tip] ? -1 : one[tip] > other[tip] ? 1 : 0));
  const wanted = WINDOW_PERCENTILE * sorted.reduce((sum, { fullness }) => sum + fullness, 0);
  let passed = 0;
  for (const block of sorted) if ((passed += block.fullness) >= wanted) return block[tip];
  return sorted.at(-1)?.[tip] ?? 0n;
}

/** Each of the tips, computed the same way. */
export function mapTips(compute: (tip: keyof PaidTips) => bigint): PaidTips {
  return { cheapWei: compute('cheapWei'), middleWei: compute('middleWei'), dearWei: compute('dearWei') };
}

/** The median of the answers of several providers or moments; of two answers, the lower. */
export function medianTips(all: readonly PaidTips[]): PaidTips | undefined {
  if (all.length === 0) return undefined;
  return mapTips((tip) => medianOf(all.map((each) => each[tip])));
}

/** The same for amounts; zero if there are none. */
export function medianOf(amounts: readonly bigint[]): bigint {
  const sorted = [...amounts].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n;
}

/** The answer of `eth_feeHistory`, asked with {@link REWARD_PERCENTILES}. @throws {UnexpectedAnswerError} */
export function parseFeeHistory(value: unknown): readonly BlockTips[] {
  const what = 'eth_feeHistory';
  const { gasUsedRatio, reward, baseFeePerGas } = parseRecord(value, what);
  if (!Array.isArray(gasUsedRatio) || !Array.isArray(reward) || !Array.isArray(baseFeePerGas)) {
    throw new UnexpectedAnswerError(what);
  }
  return gasUsedRatio.map((ratio: unknown, index) => {
    const tips: unknown = reward[index];
    if (typeof ratio !== 'number' || !(ratio >= 0) || !Array.isArray(tips)) throw new UnexpectedAnswerError(what);
    return {
      // In some forks nodes report blocks as fuller than their limit.
      fullness: Math.min(ratio, 1),
      baseFeeWei: parseQuantity(baseFeePerGas[index], what),
      cheapWei: parseQuantity(tips[0], what),
      middleWei: parseQuantity(tips[1], what),
      dearWei: parseQuantity(tips[2], what),
    };
  });
}
