/** What matching looks at in a reservation. */
export interface MatchCandidate {
  /** Decimal text; a lower one was made earlier. */
  readonly id: string;
  readonly holdWei: bigint;
}

/**
 * Which of several reservations of (wallet, sender, nonce) an operation used: the one whose hold is at least the
 * precharge and nearest to it, of equal ones the earliest.
 *
 * None is large enough only where a row was lost (a restored database). Then the largest is taken: its paymaster did
 * sign for this nonce, and its limits are better charged in part than not at all.
 *
 * @returns undefined when there is none
 */
export function matchReservation<T extends MatchCandidate>(
  prechargeWei: bigint,
  candidates: readonly T[],
): T | undefined {
  const sorted = [...candidates].sort(
    (a, b) => Number(a.holdWei > b.holdWei) - Number(a.holdWei < b.holdWei) || (BigInt(a.id) < BigInt(b.id) ? -1 : 1),
  );
  const largest = sorted.at(-1)?.holdWei;
  return sorted.find(({ holdWei }) => holdWei >= prechargeWei) ?? sorted.find(({ holdWei }) => holdWei === largest);
}
