/** What matching looks at in a reservation. */
export interface MatchCandidate {
  /** Decimal text; a lower one was made earlier. */
  readonly id: string;
  readonly holdWei: bigint;
  /** It is held against caps on payments in tokens. */
  readonly isExposed?: boolean;
}

/**
 * Which of several reservations of (wallet, sender, nonce) an operation used: the one whose hold is at least the
 * precharge and nearest to it, of equal ones the earliest.
 *
 * None is large enough only where a row was lost (a restored database). Then the largest is taken: its paymaster did
 * sign for this nonce, and its limits are better charged in part than not at all.
 *
 * An operation that did not pay in tokens was signed by one that is exposed, if there is one: a sponsored signature of
 * the same nonce must not be taken for it, or what is lost would count against no cap.
 *
 * @returns undefined when there is none
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
