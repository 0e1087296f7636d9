import type { PolicySnapshot } from '@paymaster/domain';
import { fromDigits, toDigits } from './digits';
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
 * The header that says for how long a question is still waited for, whole milliseconds: a duration, because two machines
 * do not have the same time.
 */
export const TIME_LEFT_HEADER = 'x-time-left-ms';

export interface ResolvePolicyRequest {
  readonly chainId: number;
  /** HMAC-SHA256 of the API key under the index key, hex. The key itself never travels. */
  readonly apiKeyIndex: string;
  /** The same under the other live index keys, while the index key is being replaced: any of them may be the stored one. */
  readonly otherIndexes?: readonly string[] | undefined;
}

/** Whose work a question is a part of: into the dashboard's logs and traces, nothing else. */
export interface QuestionOrigin {
  readonly requestId: string;
  /** The W3C header, where the work is traced. */
  readonly traceparent?: string | undefined;
}

/** A policy that whoever asks has already. */
export interface KnownPolicy {
  readonly paymasterId: string;
  readonly version: number;
}

/** A request as it travels. */
export interface ResolvePolicyQuestion extends ResolvePolicyRequest {
  /** When it still is that one, the answer says so instead of repeating it. */
  readonly known?: KnownPolicy;
  /** Fresh for every question; the reply is bound to it. */
  readonly nonce: string;
}

export type ResolvePolicyReply =
  | { readonly found: true; readonly snapshot: PolicySnapshotMessage }
  /** The policy that was known to whoever asked, and which one that is: questions are not authenticated. */
  | { readonly found: true; readonly unchanged: KnownPolicy }
  | { readonly found: false }
  /** The dashboard cannot say now; a sentence why. */
  | { readonly failed: string };

export interface PolicyChangedEvent {
  readonly paymasterId: string;
  readonly version: number;
}

/** A snapshot as it travels. */
export function toMessage(snapshot: PolicySnapshot): PolicySnapshotMessage {
  const { settings, tokens, policies } = snapshot;
  return {
    ...snapshot,
    settings: { ...settings, maxOperationCostWei: toDigits(settings.maxOperationCostWei) },
    tokens: tokens.map((token) => ({ ...token, exposureCapWei: toDigits(token.exposureCapWei) })),
    policies: policies.map(toPolicyMessage),
  };
}

/**
 * The snapshot in a message.
 *
 * @param chainId the chain that was asked about
 * @throws {MalformedSnapshotError} when the message is no snapshot, or one of another chain
 */
export function fromMessage(message: unknown, chainId: number): PolicySnapshot {
  assertSnapshotShape(message);
  if (message.chainId !== chainId) throw new MalformedSnapshotError('chainId');
  const { settings, tokens, policies } = message;
  return {
    ...message,
    settings: { ...settings, maxOperationCostWei: fromDigits(settings.maxOperationCostWei) },
    tokens: tokens.map((token) => ({ ...token, exposureCapWei: fromDigits(token.exposureCapWei) })),
    policies: policies.map(fromPolicyMessage),
  };
}
