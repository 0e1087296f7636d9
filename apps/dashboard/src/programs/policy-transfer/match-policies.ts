import type { Policy } from '../policies/policy';

/** What a policy of a document is known by. */
export type Wanted = Pick<Policy, 'name' | 'policyType'> & { readonly policyId?: unknown };

/**
 * Which present policy each wanted one stands for: the one with its id, else the next one of its name and type. So
 * that a document of another paymaster, whose ids are foreign, can be imported again and again.
 *
 * @returns for each wanted policy, in order, the present one, or undefined for a new one; none is there twice
 */
export function matchPolicies(wanted: readonly Wanted[], present: readonly Policy[]): Array<Policy | undefined> {
  const left = new Set(present);
  const take = (isIt: (policy: Policy) => boolean): Policy | undefined => {
    const found = [...left].find(isIt);
    if (found) left.delete(found);
    return found;
  };
  const byId = wanted.map(({ policyId, policyType }) =>
    take((policy) => policy.id === policyId && policy.policyType === policyType),
  );
  return wanted.map(
    ({ name, policyType }, at) =>
      byId[at] ?? take((policy) => policy.name === name && policy.policyType === policyType),
  );
}
