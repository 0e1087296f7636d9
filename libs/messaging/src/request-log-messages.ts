import { atMost, both, isCount, isText, matching, oneOf, orNull, record, text, type Check } from './checks';

/** Batches of the request log, from gateways to the dashboard; one dashboard of the queue group writes each. */
export const REQUEST_LOG_SUBJECT = 'paymaster.requests';

/** A dashboard does not read a batch of more bytes. */
export const MAX_REQUEST_LOG_BYTES = 262_144;
/** The longest JSON of an operation that the request log keeps; characters. */
export const MAX_LOGGED_OPERATION_LENGTH = 16_384;
const MAX_ENTRIES = 1_000;

/** Granted: signed. Invalid: the request was wrong. Failed: the gateway could not answer. */
export const REQUEST_OUTCOMES = ['granted', 'refused', 'invalid', 'failed'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

/** How the operation's gas was to be paid; none: the request was refused before that was known, or has no operation. */
export const REQUEST_MODES = ['none', 'sponsored', 'token'] as const;

/** A request as it is kept for its paymaster's owner. It has no key, no signature and no URL in it. */
export interface LoggedRequest {
  /** New for every entry, so that a batch that is sent twice is written once. */
  readonly id: string;
  readonly paymasterId: string;
  readonly chainId: number;
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly requestId: string;
  readonly method: string;
  readonly mode: (typeof REQUEST_MODES)[number];
  /** The named key that was used; null for the paymaster's own key. */
  readonly keyId: string | null;
  readonly entryPoint: string | null;
  readonly sender: string | null;
  /** What an explanation needs of the operation; null where the request had none that can be read, or a longer one. */
  readonly userOperation: Readonly<Record<string, unknown>> | null;
  readonly outcome: RequestOutcome;
  /** The code, reason, sentence and values of the error; null and empty for a signature. */
  readonly code: number | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly details: Readonly<Record<string, string>>;
  /** How long the answer took; milliseconds. */
  readonly durationMs: number;
}

/** Requests of a paymaster that a gateway did not keep, because there were too many. */
export interface RequestsLeftOut {
  readonly paymasterId: string;
  readonly areGrants: boolean;
  readonly requests: number;
}

export interface RequestLogBatch {
  /** Unix milliseconds. */
  readonly sentAtMs: number;
  readonly entries: readonly LoggedRequest[];
  readonly leftOut: readonly RequestsLeftOut[];
}

/** What a dashboard answers: the batch is written, or nobody can ever write it. */
export type RequestLogReply = 'written' | 'unreadable';

const isUuid = matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const isEntry = record({
  id: isUuid,
  paymasterId: isUuid,
  chainId: isCount,
  atMs: isCount,
  requestId: text(1, 64),
  method: text(1, 100),
  mode: oneOf(REQUEST_MODES),
  keyId: orNull(isUuid),
  entryPoint: orNull(text(42, 42)),
  sender: orNull(text(42, 42)),
  userOperation: orNull(isObject),
  outcome: oneOf(REQUEST_OUTCOMES),
  code: orNull(Number.isSafeInteger),
  reason: orNull(text(1, 64)),
  message: orNull(isText),
  details: isObject,
  durationMs: Number.isFinite,
});
const isLeftOut = record({
  paymasterId: isUuid,
  areGrants: (value) => typeof value === 'boolean',
  requests: isCount,
});
const few = (check: Check): Check => both(atMost(MAX_ENTRIES), (value) => (value as unknown[]).every(check));

/** Whether a message is a batch. Unknown fields are let through and ignored. */
export const isRequestLogBatch = record({ sentAtMs: isCount, entries: few(isEntry), leftOut: few(isLeftOut) }) as (
  value: unknown,
) => value is RequestLogBatch;
