/** What a share comes to now, as `ledger.reserve` decides it: a part of what is left and what its holder has of it. */
export function limitOfShare({ percent, leftOver, used }: { percent: number; leftOver: bigint; used: bigint }): bigint {
  const part = ((leftOver > 0n ? leftOver : 0n) + used) * BigInt(percent);
  const limit = (part + 99n) / 100n;
  return limit > used ? limit : used;
}
