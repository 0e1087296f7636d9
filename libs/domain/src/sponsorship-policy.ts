import { NATIVE_RULES_MESSAGE, POLICY_ID, SPENDING_LIMITS_MESSAGE } from './native-rules';
import { digits, integer, numbers, object, oneOf, orAbsent, text, variants, type JsonOf, type ValueOf } from './schema';

/** UTF-16 units: owners name a policy in 100 characters, and a character may have several units and marks. */
export const MAX_POLICY_NAME_LENGTH = 1_000;
export const MAX_WEBHOOK_URL_LENGTH = 2_048;
const MAX_SECRET_VERSIONS = 5;
const TEN_YEARS_MS = 10 * 366 * 86_400_000;

/** `PAYMASTER_SA_LIMIT` as existing API users know it. */
const CYCLE_LIMIT = object({
  /** PAYMASTER: over all operations; SMART_ACCOUNT: per sender. */
  subject: oneOf(['PAYMASTER', 'SMART_ACCOUNT']),
  measure: oneOf(['COUNT', 'WEI']),
  /** Operations or wei. */
  threshold: digits,
  /** Start of the first window, unix milliseconds; editing a limit moves it. */
  startTimeMs: integer(0, undefined),
  durationMs: integer(1_000, TEN_YEARS_MS),
});
export type CycleLimit = ValueOf<typeof CYCLE_LIMIT>;

/** Where a decision webhook is asked. Its signing secrets are derived, they never travel. */
const DECISION_WEBHOOK = object({
  webhookId: POLICY_ID,
  url: text(MAX_WEBHOOK_URL_LENGTH, { pattern: /^https?:\/\/\S+$/ }),
  method: oneOf(['GET', 'POST']),
  /** Versions of the signing secret in force, newest first; a request is signed with each. */
  secretVersions: numbers(MAX_SECRET_VERSIONS, integer(0, undefined)),
});
export type DecisionWebhook = ValueOf<typeof DECISION_WEBHOOK>;

/**
 * The version of a policy that several paymasters of an account share. Their own versions cannot be compared, and the
 * newest version of a limit is in force. Each change makes a higher one.
 */
const SHARED_VERSION = integer(1, undefined);

const base = <Type extends string>(type: Type) => ({
  policyId: POLICY_ID,
  name: text(MAX_POLICY_NAME_LENGTH, { pattern: /[^]/ }),
  type: oneOf([type]),
});

/** A policy in a message, of a known type with exactly its fields: the gateway would not enforce an unknown rule. */
export const SPONSORSHIP_POLICY = variants({
  PAYMASTER_SA_LIMIT: object({ ...base('PAYMASTER_SA_LIMIT'), limit: CYCLE_LIMIT }),
  WALLET_DEPLOYMENT: object(base('WALLET_DEPLOYMENT')),
  WEBHOOK: object({ ...base('WEBHOOK'), webhook: DECISION_WEBHOOK }),
  /** Lower priorities first; equal ones in the order of the array. */
  RULES: object({
    ...base('RULES'),
    priority: integer(-1_000_000, 1_000_000),
    rules: NATIVE_RULES_MESSAGE,
    /** See {@link SHARED_VERSION}; null for a policy of this paymaster alone. */
    sharedVersion: orAbsent(SHARED_VERSION),
  }),
  /** Shared only: all that is sponsored counts, whichever policy sponsors it. */
  SPENDING_LIMITS: object({
    ...base('SPENDING_LIMITS'),
    limits: SPENDING_LIMITS_MESSAGE,
    sharedVersion: SHARED_VERSION,
  }),
});

/** One active policy of a paymaster, as the gateway gets it. */
export type SponsorshipPolicy = ValueOf<typeof SPONSORSHIP_POLICY>;

/** A policy on the wire: amounts as decimal strings. */
export type SponsorshipPolicyMessage = JsonOf<typeof SPONSORSHIP_POLICY>;
