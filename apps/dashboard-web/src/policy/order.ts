/** What a policy's place depends on. */
export interface Placed {
  readonly _id: string;
  readonly policyType: string;
  readonly policyData: object;
}

/** A policy and the priority that it gets. */
export interface Moved {
  readonly policyId: string;
  readonly priority: number;
}

const USUAL_PRIORITY = 100;
/** Apart enough that a program may put another policy in between. */
const STEP = 10;

/** In the order in which a gateway asks them: policies without a priority first, RULES by theirs, else as they were made. */
export function inOrder<Policy extends Placed>(policies: readonly Policy[]): Policy[] {
  return [...policies].sort((one, other) => rankOf(one) - rankOf(other));
}

/** The RULES policies in their order: only these have a place that can be changed. */
export function ruled<Policy extends Placed>(policies: readonly Policy[]): Policy[] {
  return inOrder(policies).filter(({ policyType }) => policyType === 'RULES');
}

/**
 * The new priorities that bring a RULES policy before the policy that is asked before it, or behind the next one.
 * Empty where there is none.
 *
 * @param by -1: asked earlier; 1: asked later
 */
export function moved(policies: readonly Placed[], policyId: string, by: -1 | 1): Moved[] {
  const list = ruled(policies);
  const from = list.findIndex(({ _id }) => _id === policyId);
  const [mine, other] = [list[from], list[from + by]];
  if (!mine || !other) return [];
  const ranks = list.map(rankOf);
  const isDistinct = new Set(ranks).size === ranks.length;
  const next = list.with(from, other).with(from + by, mine);
  return next
    .map(({ _id }, index) => ({ policyId: _id, priority: isDistinct ? (ranks[index] ?? 0) : (index + 1) * STEP }))
    .filter(({ policyId: id, priority }) => rankOf(list.find(({ _id }) => _id === id) as Placed) !== priority);
}

function rankOf({ policyType, policyData }: Placed): number {
  if (policyType !== 'RULES') return -1;
  return (policyData as { priority?: number | null }).priority ?? USUAL_PRIORITY;
}
