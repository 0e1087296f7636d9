import type { PolicySnapshot } from '@paymaster/domain';
import { fromDigits, toDigits } from './digits';
import { fromKeyMessage, toKeyMessage, type KeyGrantMessage } from './key-grant-shape';
import { assertSnapshotShape, MalformedSnapshotError, type PolicySnapshotMessage } from './snapshot-shape';
import { fromPolicyMessage, toPolicyMessage } from './sponsorship-policy-message';

/** NATS subjects. Request/reply ones are served in a queue group; broadcasts reach every process. */
export const SUBJECTS = {
  /** Request/reply: {@link ResolvePolicyQuestion} -> a signed {@link ResolvePolicyReply}. */
  policyResolve: 'paymaster.policy.resolve',
  /** Broadcast after every committed write: a signed {@link PolicyChangedEvent}. */
  policyChanged: 'paymaster.policy.changed',
} as const;

/** The queue group of the dashboard's responders: one of them answers. */
export const DASHBOARD_QUEUE = 'dashboard';

/** The header that carries the request id from HTTP through NATS into every log line. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** The header that carries a trace from one process into another (W3C Trace Context), over HTTP and NATS. */
export const TRACEPARENT_HEADER = 'traceparent';

/**
 * The header that says for how long the asker still waits for an answer, whole milliseconds: a duration, because the
 * clocks of two machines differ.
 */
export const TIME_LEFT_HEADER = 'x-time-left-ms';

export interface ResolvePolicyRequest {
  readonly chainId: number;
  /** HMAC-SHA256 of the API key under the index key, hex. The key itself never travels. */
  readonly apiKeyIndex: string;
  /**
   * The same under the other live index keys, while the index key is being replaced: the key may be stored under any.
   */
  readonly otherIndexes?: readonly string[] | undefined;
  /** The asker keeps to what a named key may do. Without it such keys are unknown: an older gateway would let them do all. */
  readonly namedKeys?: boolean | undefined;
}

/** The request that a question is a part of; used only in the dashboard's logs and traces. */
export interface QuestionOrigin {
  readonly requestId: string;
  /** The W3C header, where the request is traced. */
  readonly traceparent?: string | undefined;
}

/** A policy that the asker has already. */
export interface KnownPolicy {
  readonly paymasterId: string;
  readonly version: number;
}

/** A question on the wire. */
export interface ResolvePolicyQuestion extends ResolvePolicyRequest {
  /** If the policy is still this one, the answer says so instead of repeating it. */
  readonly known?: KnownPolicy;
  /** New for every question; the reply is bound to it. */
  readonly nonce: string;
}

export type ResolvePolicyReply =
  | { readonly found: true; readonly snapshot: PolicySnapshotMessage }
  /** The asker's policy is unchanged. It names that policy, because questions are not authenticated. */
  | { readonly found: true; readonly unchanged: KnownPolicy }
  | { readonly found: false }
  /** The dashboard cannot answer now; a sentence says why. */
  | { readonly failed: string };

export interface PolicyChangedEvent {
  readonly paymasterId: string;
  readonly version: number;
}

/** A snapshot on the wire. */
export function toMessage(snapshot: PolicySnapshot): PolicySnapshotMessage {
  const { settings, tokens, policies, key } = snapshot;
  return {
    ...snapshot,
    settings: { ...settings, maxOperationCostWei: toDigits(settings.maxOperationCostWei) },
    tokens: tokens.map((token) => ({ ...token, exposureCapWei: toDigits(token.exposureCapWei) })),
    policies: policies.map(toPolicyMessage),
    key: key && toKeyMessage(key),
  };
}

/**
 * The snapshot in a message.
 *
 * @param chainId the chain of the question
 * @throws {MalformedSnapshotError} when the message is no snapshot, or is of another chain
 */
export function fromMessage(message: unknown, chainId: number): PolicySnapshot {
  assertSnapshotShape(message);
  if (message.chainId !== chainId) throw new MalformedSnapshotError('chainId');
  const { settings, tokens, policies } = message;
  const key = message.key as KeyGrantMessage | null | undefined;
  return {
    ...message,
    settings: { ...settings, maxOperationCostWei: fromDigits(settings.maxOperationCostWei) },
    tokens: tokens.map((token) => ({ ...token, exposureCapWei: fromDigits(token.exposureCapWei) })),
    policies: policies.map(fromPolicyMessage),
    key: key ? fromKeyMessage(key) : null,
    sessionKeys: (message.sessionKeys as PolicySnapshot['sessionKeys'] | undefined) ?? [],
  };
}
