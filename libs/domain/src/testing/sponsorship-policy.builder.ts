import { faker } from '@faker-js/faker';
import { NO_NATIVE_RULES, type NativeRules } from '../native-rules';
import type { CycleLimit, SponsorshipPolicy } from '../sponsorship-policy';
import { builder, type Builder } from './builder';

/** Native rules that ask for nothing; name the ones a test is about. */
export const nativeRulesBuilder = (): Builder<NativeRules> => builder<NativeRules>(NO_NATIVE_RULES);

type RulesPolicy = Extract<SponsorshipPolicy, { type: 'RULES' }>;
type SharedLimitsPolicy = Extract<SponsorshipPolicy, { type: 'SPENDING_LIMITS' }>;
type LimitPolicy = Extract<SponsorshipPolicy, { type: 'PAYMASTER_SA_LIMIT' }>;

/** A `RULES` policy of priority 0 that allows everything. */
export const rulesPolicyBuilder = (rules: Partial<NativeRules> = {}): Builder<RulesPolicy> =>
  builder<RulesPolicy>({
    policyId: faker.string.uuid(),
    name: faker.commerce.productName(),
    type: 'RULES',
    priority: 0,
    rules: { ...nativeRulesBuilder().build(), ...rules },
    sharedVersion: null,
  });

/** Limits that several paymasters of an account share. */
export const sharedLimitsBuilder = (limits: SharedLimitsPolicy['limits'] = []): Builder<SharedLimitsPolicy> =>
  builder<SharedLimitsPolicy>({
    policyId: faker.string.uuid(),
    name: faker.commerce.productName(),
    type: 'SPENDING_LIMITS',
    limits,
    sharedVersion: 1,
  });

/** Ten operations of the whole paymaster in three hours, from 1 January 2024. */
export const limitPolicyBuilder = (limit: Partial<CycleLimit> = {}): Builder<LimitPolicy> =>
  builder<LimitPolicy>({
    policyId: faker.string.uuid(),
    name: faker.commerce.productName(),
    type: 'PAYMASTER_SA_LIMIT',
    limit: {
      subject: 'PAYMASTER',
      measure: 'COUNT',
      threshold: 10n,
      startTimeMs: Date.UTC(2024, 0, 1),
      durationMs: 3 * 3_600_000,
      ...limit,
    },
  });
