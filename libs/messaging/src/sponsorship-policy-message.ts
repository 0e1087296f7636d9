import type { CycleLimit, NativeRules, SpendingLimit, SponsorshipPolicy } from '@paymaster/domain';
import { fromDigits, toDigits, type OnWire } from './digits';

/** A policy on the wire: amounts as decimal strings. */
export type SponsorshipPolicyMessage = OnWire<SponsorshipPolicy>;

/** A policy on the wire and in an export. */
export function toPolicyMessage(policy: SponsorshipPolicy): SponsorshipPolicyMessage {
  switch (policy.type) {
    case 'PAYMASTER_SA_LIMIT':
      return { ...policy, limit: { ...policy.limit, threshold: policy.limit.threshold.toString() } };
    case 'RULES':
      return { ...policy, rules: toRulesMessage(policy.rules) };
    case 'WALLET_DEPLOYMENT':
    case 'WEBHOOK':
      return policy;
  }
}

/** The policy in a message whose shape was checked (`arePolicies`). */
export function fromPolicyMessage(message: SponsorshipPolicyMessage): SponsorshipPolicy {
  switch (message.type) {
    case 'PAYMASTER_SA_LIMIT':
      return { ...message, limit: fromLimitMessage(message.limit) };
    case 'RULES':
      return { ...message, rules: fromRulesMessage(message.rules) };
    case 'WALLET_DEPLOYMENT':
    case 'WEBHOOK':
      return message;
  }
}

function toRulesMessage(rules: NativeRules): OnWire<NativeRules> {
  return {
    ...rules,
    maxCallValueWei: toDigits(rules.maxCallValueWei),
    maxTotalValueWei: toDigits(rules.maxTotalValueWei),
    limits: rules.limits.map((limit) => ({ ...limit, amount: limit.amount.toString() })),
  };
}

function fromRulesMessage(rules: OnWire<NativeRules>): NativeRules {
  return {
    ...rules,
    maxCallValueWei: fromDigits(rules.maxCallValueWei),
    maxTotalValueWei: fromDigits(rules.maxTotalValueWei),
    limits: rules.limits.map((limit): SpendingLimit => ({ ...limit, amount: BigInt(limit.amount) })),
  };
}

function fromLimitMessage(limit: OnWire<CycleLimit>): CycleLimit {
  return { ...limit, threshold: BigInt(limit.threshold) };
}
