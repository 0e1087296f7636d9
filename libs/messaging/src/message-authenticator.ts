import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IndexKeys } from './api-key-index';
import { SUBJECTS, type PolicyChangedEvent, type ResolvePolicyQuestion } from './policy-messages';

/** A reply on the wire: the authenticated bytes and their HMAC. */
export interface SignedReply {
  /** A `ResolvePolicyReply` as JSON text. */
  readonly body: string;
  readonly mac: string;
}

/** A broadcast on the wire. */
export interface SignedPolicyChange extends PolicyChangedEvent {
  /** When it was sent; unit: milliseconds since 1970. */
  readonly timestampMs: number;
  readonly mac: string;
}

/** A message of rate limits on the wire: the authenticated bytes and their HMAC. */
export interface SignedRates {
  /** A `RateMessage` as JSON text. */
  readonly body: string;
  readonly mac: string;
}

/** A question to a gateway, or its answer, on the wire: the authenticated bytes and their HMAC. */
export interface SignedText {
  readonly body: string;
  readonly mac: string;
}

/** A broadcast further in the past or the future is a replay, or comes from a wrong clock; milliseconds. */
const MAX_CHANGE_AGE_MS = 300_000;

/** One label for each kind of message. */
interface MessageKeys {
  readonly reply: Buffer;
  readonly change: Buffer;
  readonly rates: Buffer;
  readonly question: Buffer;
  readonly answer: Buffer;
}

/**
 * Proves that a message comes from a process that has `API_KEY_INDEX_KEY`: HMAC-SHA256 under keys that are
 * derived from it, one per kind of message. A reply is bound to its question by the question's nonce, so an old reply
 * answers no other question. While the key is being replaced, messages are signed under the current key and accepted
 * under each live key (docs/adr/0007).
 */
export class MessageAuthenticator {
  private readonly current: MessageKeys;
  private readonly live: readonly MessageKeys[];

  /** @param indexKeys `API_KEY_INDEX_KEY`, or all live keys: 64 hexadecimal digits each, with or without `0x` */
  constructor(
    indexKeys: string | IndexKeys,
    private readonly nowMs: () => number = Date.now,
  ) {
    const [current, ...others] = typeof indexKeys === 'string' ? ([indexKeys] as const) : indexKeys;
    this.current = messageKeysOf(current);
    this.live = [this.current, ...others.map(messageKeysOf)];
  }

  /** The dashboard's answer to one question. @param body a `ResolvePolicyReply` as JSON text */
  signReply(question: ResolvePolicyQuestion, body: string): SignedReply {
    return { body, mac: replyMac(this.current, question, body) };
  }

  /** @returns the body when the reply is the dashboard's answer to this very question, else undefined */
  openReply(question: ResolvePolicyQuestion, reply: unknown): string | undefined {
    const { body, mac } = (reply ?? {}) as Partial<Record<keyof SignedReply, unknown>>;
    if (typeof body !== 'string' || typeof mac !== 'string') return undefined;
    return this.live.some((keys) => isEqual(mac, replyMac(keys, question, body))) ? body : undefined;
  }

  signChange({ paymasterId, version }: PolicyChangedEvent): SignedPolicyChange {
    const event = { paymasterId, version, timestampMs: this.nowMs() };
    return { ...event, mac: changeMac(this.current, event) };
  }

  /** @returns the event when the dashboard sent it lately, else undefined */
  openChange(message: unknown): PolicyChangedEvent | undefined {
    const { paymasterId, version, timestampMs, mac } = (message ?? {}) as Partial<SignedPolicyChange>;
    if (typeof paymasterId !== 'string' || typeof mac !== 'string') return undefined;
    if (!isCount(version) || !isCount(timestampMs)) return undefined;
    if (Math.abs(this.nowMs() - timestampMs) > MAX_CHANGE_AGE_MS) return undefined;
    const event = { paymasterId, version, timestampMs };
    return this.live.some((keys) => isEqual(mac, changeMac(keys, event))) ? { paymasterId, version } : undefined;
  }

  /** @param subject the NATS subject of the app; no other app accepts the message */
  signRates(subject: string, body: string): SignedRates {
    return { body, mac: ratesMac(this.current, subject, body) };
  }

  /** @returns the body if a process of the subject's app sent it, else undefined; this does not detect replays */
  openRates(subject: string, message: unknown): string | undefined {
    const { body, mac } = (message ?? {}) as Partial<Record<keyof SignedRates, unknown>>;
    if (typeof body !== 'string' || typeof mac !== 'string') return undefined;
    return this.live.some((keys) => isEqual(mac, ratesMac(keys, subject, body))) ? body : undefined;
  }

  /**
   * The dashboard's question to a gateway, or what a gateway tells the dashboard.
   *
   * @param body holds something that is new for every question
   */
  signQuestion(subject: string, body: string): SignedText {
    return { body, mac: hmac(this.current.question, [subject, body]) };
  }

  /** @returns the body if it was signed for this subject, else undefined; this does not detect replays */
  openQuestion(subject: string, message: unknown): string | undefined {
    return this.open(message, ({ question }, body) => hmac(question, [subject, body]));
  }

  /** The answer to one question. */
  signAnswer({ mac }: SignedText, body: string): SignedText {
    return { body, mac: hmac(this.current.answer, [mac, body]) };
  }

  /** @returns the body when it is the answer to this very question, else undefined */
  openAnswer(question: SignedText, message: unknown): string | undefined {
    return this.open(message, ({ answer }, body) => hmac(answer, [question.mac, body]));
  }

  private open(message: unknown, macOf: (keys: MessageKeys, body: string) => string): string | undefined {
    const { body, mac } = (message ?? {}) as Partial<Record<keyof SignedText, unknown>>;
    if (typeof body !== 'string' || typeof mac !== 'string') return undefined;
    return this.live.some((keys) => isEqual(mac, macOf(keys, body))) ? body : undefined;
  }
}

/** Covers everything that decides which policy is the answer. */
function replyMac(
  { reply }: MessageKeys,
  { apiKeyIndex, otherIndexes = [], chainId, nonce }: ResolvePolicyQuestion,
  body: string,
): string {
  const others = otherIndexes.length > 0 ? [otherIndexes.join()] : [];
  return hmac(reply, [SUBJECTS.policyResolve, apiKeyIndex, chainId, nonce, body, ...others]);
}

function changeMac(
  { change }: MessageKeys,
  { paymasterId, version, timestampMs }: Omit<SignedPolicyChange, 'mac'>,
): string {
  return hmac(change, [SUBJECTS.policyChanged, paymasterId, version, timestampMs]);
}

function ratesMac({ rates }: MessageKeys, subject: string, body: string): string {
  return hmac(rates, [subject, body]);
}

function messageKeysOf(indexKeyHex: string): MessageKeys {
  const secret = Buffer.from(indexKeyHex.replace(/^0x/, ''), 'hex');
  return {
    reply: derive(secret, 'paymaster/nats/policy-reply/v1'),
    change: derive(secret, 'paymaster/nats/policy-changed/v1'),
    rates: derive(secret, 'paymaster/nats/rates/v1'),
    question: derive(secret, 'paymaster/nats/gateway-question/v1'),
    answer: derive(secret, 'paymaster/nats/gateway-answer/v1'),
  };
}

function derive(secret: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), label, 32));
}

/** Computed over a JSON array, so that different lists of fields never have the same bytes. */
function hmac(key: Buffer, fields: ReadonlyArray<string | number>): string {
  return createHmac('sha256', key).update(JSON.stringify(fields), 'utf8').digest('hex');
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
