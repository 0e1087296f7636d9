import {
  SchemaError,
  SETTINGS,
  SPONSORSHIP_POLICY,
  TOKEN_TERMS,
  toPriceReference,
  type PaymasterSettings,
  type PolicySnapshot,
  type SponsorshipPolicy,
  type TokenListing,
} from '@paymaster/domain';
import { toWire } from './to-wire';
import { fromWire } from './field-shape';
import { fromKeyMessage, toKeyMessage, type KeyGrantMessage } from './key-grant-shape';
import { assertSnapshotShape, MalformedSnapshotError, type PolicySnapshotMessage } from './snapshot-shape';
import { readPolicies, toPolicyMessage } from './sponsorship-policy-message';

/** NATS subjects. Request/reply ones are served in a queue group; broadcasts reach every process. */
export const SUBJECTS = {
  /** Request/reply: {@link ResolvePolicyQuestion} -> a signed {@link ResolvePolicyReply}. */
  policyResolve: 'paymaster.policy.resolve',
  /** Broadcast after every committed write: a signed {@link PolicyChangedEvent}. */
  policyChanged: 'paymaster.policy.changed',
  /** Request/reply: a signed {@link PolicyNewsQuestion} -> a signed {@link PolicyNewsReply}. */
  policyNews: 'paymaster.policy.news',
} as const;

/** The queue group of the dashboard's responders: one of them answers. */
export const DASHBOARD_QUEUE = 'dashboard';

/** The header that carries the request id from HTTP through NATS into every log line. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** The header that carries a trace from one process into another (W3C Trace Context), over HTTP and NATS. */
export const TRACEPARENT_HEADER = 'traceparent';

/**
 * The header with the time for which the gateway still waits for an answer, in whole milliseconds. It is a duration,
 * because the clocks of two machines differ.
 */
export const TIME_LEFT_HEADER = 'x-time-left-ms';

export interface ResolvePolicyRequest {
  readonly chainId: number;
  /** HMAC-SHA256 of the API key under the index key, hex. The key itself never travels. */
  readonly apiKeyIndex: string;
  /**
   * Its indexes under the other live index keys, while the index key is being replaced: the API key may be stored under
   * any of them.
   */
  readonly otherIndexes?: readonly string[] | undefined;
  /**
   * True: the gateway keeps to what a named key may do. To other gateways such keys are unknown, because an older
   * gateway would let them do everything.
   */
  readonly namedKeys?: boolean | undefined;
  /**
   * True: the gateway refuses for a suspended paymaster. To other gateways such a paymaster is unknown, because an
   * older gateway would sign for it.
   */
  readonly suspensions?: boolean | undefined;
}

/** The id of the request that caused the question; the dashboard uses it only in logs and traces. */
export interface QuestionOrigin {
  readonly requestId: string;
  /** The W3C header, where the request is traced. */
  readonly traceparent?: string | undefined;
}

/** A policy that the gateway has already. */
export interface KnownPolicy {
  readonly paymasterId: string;
  readonly version: number;
}

/** A question on the wire. */
export interface ResolvePolicyQuestion extends ResolvePolicyRequest {
  /** The policy that the gateway has. If it is still current, the answer only says so. */
  readonly known?: KnownPolicy;
  /** New for every question; the reply is bound to it. */
  readonly nonce: string;
}

/**
 * `lasting`: the key ends only by a change of its paymaster, and not at a time that is set already. A dashboard of an
 * older version does not say it.
 */
export type ResolvePolicyReply =
  | { readonly found: true; readonly snapshot: PolicySnapshotMessage; readonly lasting?: boolean }
  /** The gateway's policy is unchanged. The answer names that policy, because questions are not authenticated. */
  | { readonly found: true; readonly unchanged: KnownPolicy; readonly lasting?: boolean }
  | { readonly found: false }
  /** The dashboard cannot answer now; a sentence says why. */
  | { readonly failed: string };

export interface PolicyChangedEvent {
  readonly paymasterId: string;
  readonly version: number;
}

/** A gateway asks which policies changed since it asked last. */
export interface PolicyNewsQuestion {
  /** New for every question; the reply is bound to it. */
  readonly nonce: string;
  /** The number in the reply before. Absent: the gateway only asks for the number. */
  readonly since?: number | undefined;
}

/** Which policies changed. The database numbers changes in the order in which they are committed. */
export interface PolicyNews {
  /** Of the last change. */
  readonly number: number;
  /**
   * The policies that changed since then, each once with its highest version; the others are unchanged. Absent when
   * the question had no number, when the database does not know its number, and when there are more than
   * {@link MAX_POLICY_NEWS}.
   */
  readonly changed?: readonly PolicyChangedEvent[];
}

export type PolicyNewsReply =
  | PolicyNews
  /** The dashboard cannot answer now; a sentence says why. */
  | { readonly failed: string };

/** Of one reply: far below the size of a NATS message. */
export const MAX_POLICY_NEWS = 1_000;

/** A snapshot on the wire. */
export function toMessage(snapshot: PolicySnapshot): PolicySnapshotMessage {
  const { settings, tokens, policies, key } = snapshot;
  return {
    ...snapshot,
    settings: toWire(settings),
    tokens: tokens.map(toWire),
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
  return snapshotOf(message, policiesOf(message));
}

/** The snapshot in a text that this process made with {@link toMessage}; what it wrote itself is not checked again. */
export function fromOwnText(text: string): PolicySnapshot {
  const message = JSON.parse(text) as PolicySnapshotMessage;
  return snapshotOf(
    message,
    message.policies.map((policy) => SPONSORSHIP_POLICY.read(policy)),
  );
}

function snapshotOf(message: PolicySnapshotMessage, policies: readonly SponsorshipPolicy[]): PolicySnapshot {
  const { settings, tokens } = message;
  const key = message.key as KeyGrantMessage | null | undefined;
  return {
    ...message,
    settings: fromWire<PaymasterSettings>(SETTINGS, settings),
    tokens: tokens.map((token) => ({
      ...fromWire<TokenListing>(TOKEN_TERMS, token),
      price: toPriceReference(token.price),
    })),
    policies,
    key: key ? fromKeyMessage(key) : null,
    sessionKeys: (message.sessionKeys as PolicySnapshot['sessionKeys'] | undefined) ?? [],
    suspensionReason: (message.suspensionReason as string | null | undefined) ?? null,
    contractErrors: (message.contractErrors as PolicySnapshot['contractErrors'] | undefined) ?? [],
  };
}

function policiesOf({ policies }: { policies: unknown }): readonly SponsorshipPolicy[] {
  try {
    return readPolicies(policies);
  } catch (error) {
    throw error instanceof SchemaError ? new MalformedSnapshotError(error.within('policies').path.join('.')) : error;
  }
}
