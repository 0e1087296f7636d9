import { parseQuantity, parseRecord, UnexpectedAnswerError } from '@paymaster/chain';

/** The percentile of a block's gas at which its tip is read: its cheap third. */
export const REWARD_PERCENTILES = [30] as const;

/** The tip of one block, weighed by the gas that its transactions used. */
export interface BlockTip {
  /** How full the block was; 1 is its gas limit. */
  readonly fullness: number;
  /** At {@link REWARD_PERCENTILES}; wei per gas. */
  readonly tipWei: bigint;
}

/** The percentile of the window, by gas, at which the paid tip is read: more than half of the gas paid no more. */
const WINDOW_PERCENTILE = 0.6;

/** The tip at which most of the gas of these blocks was included; undefined when they are empty. Wei per gas. */
export function paidTip(blocks: readonly BlockTip[]): bigint | undefined {
  const used = blocks.filter(({ fullness }) => fullness > 0);
  const sorted = used.sort((one, other) => (one.tipWei < other.tipWei ? -1 : one.tipWei > other.tipWei ? 1 : 0));
  const wanted = WINDOW_PERCENTILE * used.reduce((sum, { fullness }) => sum + fullness, 0);
  let passed = 0;
  for (const { fullness, tipWei } of sorted) if ((passed += fullness) >= wanted) return tipWei;
  return sorted.at(-1)?.tipWei;
}

/** The median of the answers of several providers; of two answers, the lower. Zero if there are none. */
export function medianOf(amounts: readonly bigint[]): bigint {
  const sorted = [...amounts].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n;
}

/** The answer of `eth_feeHistory`, asked with {@link REWARD_PERCENTILES}. @throws {UnexpectedAnswerError} */
export function parseFeeHistory(value: unknown): readonly BlockTip[] {
  const what = 'eth_feeHistory';
  const { gasUsedRatio, reward } = parseRecord(value, what);
  if (!Array.isArray(gasUsedRatio)) throw new UnexpectedAnswerError(what);
  // A node without these blocks may leave the rewards out.
  if (gasUsedRatio.length === 0) return [];
  if (!Array.isArray(reward)) throw new UnexpectedAnswerError(what);
  return gasUsedRatio.map((ratio: unknown, index) => {
    const tips: unknown = reward[index];
    if (typeof ratio !== 'number' || !(ratio >= 0) || !Array.isArray(tips)) throw new UnexpectedAnswerError(what);
    // In some forks nodes report blocks as fuller than their limit.
    return { fullness: Math.min(ratio, 1), tipWei: parseQuantity(tips[0], what) };
  });
}
