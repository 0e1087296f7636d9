import { randomUUID } from 'node:crypto';
import type { Policy } from '../policies/policy';
import { matchPolicies } from './match-policies';

const policy = (name: string, policyType: Policy['policyType'] = 'RULES') =>
  ({ id: randomUUID(), name, policyType }) as Policy;

describe('matchPolicies', () => {
  it('finds policies by their ids, whatever their names are now', () => {
    const [one, two] = [policy('one'), policy('two')];
    const wanted = [
      { policyId: two.id, name: 'one', policyType: 'RULES' },
      { policyId: one.id, name: 'two', policyType: 'RULES' },
    ] as const;
    expect(matchPolicies(wanted, [one, two])).toEqual([two, one]);
  });

  it('finds those with foreign ids by name and type, each once', () => {
    const [one, twin, other] = [policy('one'), policy('one'), policy('one', 'WEBHOOK')];
    const wanted = Array.from({ length: 3 }, () => ({
      policyId: randomUUID(),
      name: 'one',
      policyType: 'RULES' as const,
    }));
    expect(matchPolicies(wanted, [one, other, twin])).toEqual([one, twin, undefined]);
  });

  it('gives a policy to the one that names its id before one that has its name', () => {
    const one = policy('one');
    const wanted = [
      { name: 'one', policyType: 'RULES' },
      { policyId: one.id, name: 'renamed', policyType: 'RULES' },
    ] as const;
    expect(matchPolicies(wanted, [one])).toEqual([undefined, one]);
  });

  it('takes a policy of another type for another policy', () => {
    const one = policy('one');
    expect(matchPolicies([{ policyId: one.id, name: 'one', policyType: 'WEBHOOK' }], [one])).toEqual([undefined]);
  });

  it.each([undefined, null, 7, { toString: 1 }, []])('does not mind the id %p', (policyId) => {
    expect(matchPolicies([{ policyId, name: 'one', policyType: 'RULES' }], [])).toEqual([undefined]);
  });
});
