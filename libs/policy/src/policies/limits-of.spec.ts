import type { SpendingLimit, SponsorshipPolicy } from '@paymaster/domain';
import { limitPolicyBuilder, randomAddress, rulesPolicyBuilder } from '@paymaster/domain/testing';
import { limitsOf } from './limits-of';

const NOW_SECONDS = Date.UTC(2026, 2, 4, 5) / 1_000;
const paymasterId = 'p1';
const limit = (changes: Partial<SpendingLimit> = {}): SpendingLimit => ({
  ...{ id: 'l1', scope: 'PAYMASTER', measure: 'COUNT', amount: 5n, cycle: 'DAY', ...changes },
});
const withLimits = (...limits: SpendingLimit[]): SponsorshipPolicy => {
  const policy = rulesPolicyBuilder().build();
  return { ...policy, rules: { ...policy.rules, limits } };
};

describe('limitsOf', () => {
  it('finds the budgets of RULES in the window of now, those in USD too, and leaves out limits on one operation', () => {
    const sender = randomAddress();
    const policy = withLimits(
      limit({ scope: 'OPERATION' }),
      limit({ scope: 'USER', measure: 'USD' }),
      limit({ id: 'l2', cycle: 'LIFETIME', measure: 'WEI' }),
    );
    expect(limitsOf({ paymasterId, policy }, { sender, nowSeconds: NOW_SECONDS })).toMatchObject([
      {
        ...{ perUser: true, unit: 'microUsd', limit: 5n },
        claim: { key: expect.stringContaining(sender), endsAtSeconds: Date.UTC(2026, 2, 5) / 1_000 },
      },
      { perUser: false, unit: 'wei', claim: { key: expect.stringMatching(/:all:ever$/) } },
    ]);
  });

  it('finds the budgets that paymasters share under one name', () => {
    const policy: SponsorshipPolicy = {
      ...{
        policyId: 's',
        name: 'shared',
        type: 'SPENDING_LIMITS',
        limits: [{ ...limit(), scope: 'PAYMASTER' }],
        sharedVersion: 3,
      },
    };
    const keyOf = (id: string) => limitsOf({ paymasterId: id, policy }, { nowSeconds: NOW_SECONDS })[0]?.claim.key;
    expect(keyOf('p1')).toBe(keyOf('p2'));
    expect(keyOf('p1')).toMatch(/^shared:s:/);
  });

  it.each([
    ['SMART_ACCOUNT', true],
    ['PAYMASTER', false],
  ] as const)(
    'finds the budget of a PAYMASTER_SA_LIMIT, which is per user with the subject %s: %s',
    (subject, perUser) => {
      const policy = limitPolicyBuilder({ subject }).build();
      const [found] = limitsOf({ paymasterId, policy }, { nowSeconds: NOW_SECONDS });
      expect(found).toMatchObject({ perUser, claim: { key: expect.stringContaining(policy.policyId), live: false } });
    },
  );

  it('finds none in policies without limits', () => {
    const policy: SponsorshipPolicy = { policyId: 'w', name: 'n', type: 'WALLET_DEPLOYMENT' };
    expect(limitsOf({ paymasterId, policy }, { nowSeconds: NOW_SECONDS })).toEqual([]);
  });
});
