import {
  ARGUMENT_OPERATORS,
  LIMIT_CYCLES,
  LIMIT_MEASURES,
  LIMIT_SCOPES,
  type ArgumentRule,
  type CycleLimit,
  type DecisionWebhook,
  type NativeRules,
  type RevertBreaker,
  type SpendingLimit,
  type SponsorshipPolicy,
} from '@paymaster/domain';
import {
  atMost,
  both,
  exactRecord,
  integer,
  isAddress,
  isCount,
  isWei,
  listOf,
  matching,
  oneOf,
  orNull,
  text,
  withoutTwins,
  withoutTwinsBy,
  type Check,
} from './checks';
import type { SponsorshipPolicyMessage } from './sponsorship-policy-message';

/** Bounds on the policies of one snapshot. */
export const MAX_SNAPSHOT_POLICIES = 50;
/** Decision webhooks that are not policies; they travel in a list of their own. */
export const MAX_SNAPSHOT_WEBHOOKS = 10;
/** Items of any list of a policy. */
export const MAX_POLICY_ADDRESSES = 1_000;
export const MAX_POLICY_LIMITS = 20;
export const MAX_ARGUMENT_RULES = 50;
export const MAX_ARGUMENT_VALUES = 100;
export const MAX_POLICY_NAME_LENGTH = 100;
export const MAX_METHOD_LENGTH = 500;
export const MAX_WEBHOOK_URL_LENGTH = 2_048;
export const MAX_SECRET_VERSIONS = 5;
/**
 * All policies of one snapshot as JSON inside a signed reply, so that a snapshot with everything at its limit still
 * fits into one NATS message; bytes, see {@link policiesBytes}.
 */
export const MAX_POLICIES_BYTES = 96_000;

/** Ids become parts of budget keys, so they must not contain the separator of these parts. */
export const POLICY_ID_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
/** `name(type,…)`; the engine reads the types. */
export const METHOD_PATTERN = /^[A-Za-z_$][A-Za-z0-9_$]*\([A-Za-z0-9_$,()[\]]*\)$/;
/** A number, hex text, `true` or `false`. */
export const ARGUMENT_VALUE_PATTERN = /^(-?\d{1,78}|0x[0-9a-fA-F]{1,64}|true|false)$/;

const YEAR_MS = 366 * 86_400_000;
const MAX_PERCENT = 1_000_000;
const MAX_BREAKER_WINDOW_MINUTES = 7 * 24 * 60;

const isId = matching(POLICY_ID_PATTERN);
const areAddresses = both(listOf(isAddress), atMost(MAX_POLICY_ADDRESSES));

const CYCLE_LIMIT: Readonly<Record<keyof CycleLimit, Check>> = {
  subject: oneOf(['PAYMASTER', 'SMART_ACCOUNT'] satisfies CycleLimit['subject'][]),
  measure: oneOf(['COUNT', 'WEI'] satisfies CycleLimit['measure'][]),
  threshold: isWei,
  startTimeMs: isCount,
  durationMs: integer(1_000, 10 * YEAR_MS),
};

const WEBHOOK: Readonly<Record<keyof DecisionWebhook, Check>> = {
  webhookId: isId,
  url: both(matching(/^https?:\/\/\S+$/), text(1, MAX_WEBHOOK_URL_LENGTH)),
  method: oneOf(['GET', 'POST'] satisfies DecisionWebhook['method'][]),
  secretVersions: both(withoutTwins(listOf(isCount)), atMost(MAX_SECRET_VERSIONS)),
};

const SPENDING_LIMIT: Readonly<Record<keyof SpendingLimit, Check>> = {
  id: isId,
  scope: oneOf(LIMIT_SCOPES),
  measure: oneOf(LIMIT_MEASURES),
  amount: isWei,
  cycle: oneOf(LIMIT_CYCLES),
};

const ARGUMENT_RULE: Readonly<Record<keyof ArgumentRule, Check>> = {
  contract: isAddress,
  method: both(matching(METHOD_PATTERN), text(1, MAX_METHOD_LENGTH)),
  index: integer(0, 255),
  operator: oneOf(ARGUMENT_OPERATORS),
  values: both(listOf(matching(ARGUMENT_VALUE_PATTERN)), atMost(MAX_ARGUMENT_VALUES)),
};

const REVERT_BREAKER: Readonly<Record<keyof RevertBreaker, Check>> = {
  maxRevertPercent: integer(0, 100),
  minOperations: integer(1, 1_000_000_000),
  windowMinutes: integer(1, MAX_BREAKER_WINDOW_MINUTES),
};

const RULES: Readonly<Record<keyof NativeRules, Check>> = {
  startsAtSeconds: orNull(isCount),
  endsAtSeconds: orNull(isCount),
  allowedSenders: orNull(areAddresses),
  deniedSenders: areAddresses,
  maxCallValueWei: orNull(isWei),
  maxTotalValueWei: orNull(isWei),
  arguments: both(listOf(exactRecord(ARGUMENT_RULE)), atMost(MAX_ARGUMENT_RULES)),
  maxFeePercentOfBaseFee: orNull(integer(1, MAX_PERCENT)),
  maxCallGasPercentOfEstimate: orNull(integer(1, MAX_PERCENT)),
  eip7702Delegates: orNull(areAddresses),
  accountFactories: orNull(areAddresses),
  revertBreaker: orNull(exactRecord(REVERT_BREAKER)),
  limits: both(withoutTwinsBy('id', listOf(exactRecord(SPENDING_LIMIT))), atMost(MAX_POLICY_LIMITS)),
};

const BASE = { policyId: isId, name: text(1, MAX_POLICY_NAME_LENGTH), type: () => true };
const POLICIES: Readonly<Record<SponsorshipPolicy['type'], Check>> = {
  PAYMASTER_SA_LIMIT: exactRecord({ ...BASE, limit: exactRecord(CYCLE_LIMIT) }),
  WALLET_DEPLOYMENT: exactRecord(BASE),
  WEBHOOK: exactRecord({ ...BASE, webhook: exactRecord(WEBHOOK) }),
  RULES: exactRecord({ ...BASE, priority: integer(-1_000_000, 1_000_000), rules: exactRecord(RULES) }),
};

/** A policy of a known type with exactly its fields, because the gateway would not enforce an unknown rule. */
const isPolicy: Check = (value) => {
  const { type } = (value ?? {}) as { type?: unknown };
  return typeof type === 'string' && Object.hasOwn(POLICIES, type) && POLICIES[type as keyof typeof POLICIES](value);
};

/** The policies of a snapshot: bounded in number and size, each id once. */
export const arePolicies: Check = (value) =>
  both(withoutTwinsBy('policyId', listOf(isPolicy)), atMost(MAX_SNAPSHOT_POLICIES + MAX_SNAPSHOT_WEBHOOKS))(value) &&
  policiesBytes(value as SponsorshipPolicyMessage[]) <= MAX_POLICIES_BYTES;

/** How many bytes policies take inside a signed reply, which carries JSON as JSON text. */
export function policiesBytes(policies: readonly SponsorshipPolicyMessage[]): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(policies)));
}
