/** The use by one client, in the unit of the claim. */
export interface ShareState {
  readonly percent: number;
  /** What is left of the limit or the wallet. */
  readonly leftOver: bigint;
  /** What the client holds, over all its operations. */
  readonly used: bigint;
  /** The part of {@link held} that the operation itself holds. */
  readonly held: bigint;
}

/**
 * The current value of a share, computed as in `ledger.reserve`: a part of the sum of what is left and what the client
 * holds; all that is left if the client holds nothing else.
 */
export function limitOfShare({ percent, leftOver, used, held }: ShareState): bigint {
  const room = leftOver > 0n ? leftOver : 0n;
  if (used <= held) return room + used;
  const limit = ((room + used) * BigInt(percent) + 99n) / 100n;
  return limit > used ? limit : used;
}
