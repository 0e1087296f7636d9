/** Of one client, in the unit of the claim. */
export interface ShareState {
  readonly percent: number;
  /** Of the limit or the wallet. */
  readonly leftOver: bigint;
  /** What the client holds. */
  readonly used: bigint;
  /** Of that, what the operation holds itself. */
  readonly held: bigint;
}

/**
 * What a share comes to now, as `ledger.reserve` decides it: a part of what is left and what its holder has of it; all
 * that is left for who holds nothing else.
 */
export function limitOfShare({ percent, leftOver, used, held }: ShareState): bigint {
  const room = leftOver > 0n ? leftOver : 0n;
  if (used <= held) return room + used;
  const limit = ((room + used) * BigInt(percent) + 99n) / 100n;
  return limit > used ? limit : used;
}
