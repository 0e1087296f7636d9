/** The fields of a reservation that matching reads. */
export interface MatchCandidate {
  /** Decimal text; a lower id was made earlier. */
  readonly id: string;
  readonly holdWei: bigint;
  /** Whether the reservation holds an exposure. */
  readonly isExposed?: boolean;
}

/**
 * Finds out which of several reservations of (wallet, sender, nonce) an operation used: the reservation whose hold is
 * at least the precharge and nearest to it; among equal holds, the earliest.
 *
 * If no hold is large enough, a row was lost (a restored database). Then it takes the reservation with the largest
 * hold: its paymaster did sign for this nonce, and it is better to charge its limits in part than not at all.
 *
 * For an operation that did not pay in tokens, it prefers reservations that hold an exposure. If it took a sponsored
 * signature of the same nonce instead, the loss would count against no cap.
 *
 * @returns undefined when there is no reservation
 */
export function matchReservation<T extends MatchCandidate>(
  prechargeWei: bigint,
  candidates: readonly T[],
  { isUnpaid = false } = {},
): T | undefined {
  const exposed = isUnpaid ? candidates.filter((one) => one.isExposed && one.holdWei >= prechargeWei) : [];
  const sorted = [...(exposed.length > 0 ? exposed : candidates)].sort(
    (a, b) => Number(a.holdWei > b.holdWei) - Number(a.holdWei < b.holdWei) || (BigInt(a.id) < BigInt(b.id) ? -1 : 1),
  );
  const largest = sorted.at(-1)?.holdWei;
  return sorted.find(({ holdWei }) => holdWei >= prechargeWei) ?? sorted.find(({ holdWei }) => holdWei === largest);
}
