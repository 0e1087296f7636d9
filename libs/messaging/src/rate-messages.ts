import { LRUCache } from 'lru-cache';
import type { MessageAuthenticator } from './message-authenticator';

/** Broadcast among the processes of one app, ten times a second: a signed {@link RateMessage}. */
export const RATE_SUBJECTS = {
  gateway: 'paymaster.rate.paymaster-rpc',
  dashboard: 'paymaster.rate.dashboard',
} as const;
export type RateSubject = (typeof RATE_SUBJECTS)[keyof typeof RATE_SUBJECTS];

/** The payer, a blind index or a paymaster's id, and how many tokens were taken from its bucket. */
export type Taken = readonly [key: string, tokens: number];

/** What one process let through since its last message. */
export interface RateMessage {
  /** Random; new at every start. */
  readonly from: string;
  /** Counts this process's messages; a number that was seen before is a replay. */
  readonly number: number;
  readonly timestampMs: number;
  /** By limit. */
  readonly taken: Readonly<Record<string, readonly Taken[]>>;
}

/** No message of ours is longer: 1,000 keys are below 80 kB. */
export const MAX_RATE_MESSAGE_BYTES = 131_072;
/** An older message is a replay, or no longer matters; milliseconds. */
const MAX_AGE_MS = 5_000;
/** Processes whose count is remembered. */
const MAX_SENDERS = 1_000;
const FROM = /^[0-9a-f-]{36}$/;
const KEY = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_TOKENS = 1_000_000;

export function toRateBody(message: RateMessage): string {
  return JSON.stringify(message);
}

/** Reads authenticated messages, each only once. */
export class RateReader {
  private readonly numbers = new LRUCache<string, number>({ max: MAX_SENDERS });

  constructor(
    private readonly options: { readonly subject: RateSubject; readonly authenticator: MessageAuthenticator },
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** @returns undefined for a message that is forged, malformed, old or repeated */
  read(data: Uint8Array): RateMessage | undefined {
    if (data.length > MAX_RATE_MESSAGE_BYTES) return undefined;
    const { subject, authenticator } = this.options;
    const body = authenticator.openRates(subject, parse(Buffer.from(data).toString('utf8')));
    const message = body === undefined ? undefined : parse(body);
    if (!isRateMessage(message) || Math.abs(this.nowMs() - message.timestampMs) > MAX_AGE_MS) return undefined;
    if (message.number <= (this.numbers.get(message.from) ?? 0)) return undefined;
    this.numbers.set(message.from, message.number);
    return message;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRateMessage(value: unknown): value is RateMessage {
  const { from, number, timestampMs, taken } = (value ?? {}) as Partial<RateMessage>;
  if (typeof from !== 'string' || !FROM.test(from)) return false;
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(timestampMs)) return false;
  if (typeof taken !== 'object' || taken === null) return false;
  return Object.values(taken as Record<string, unknown>).every((list) => Array.isArray(list) && list.every(isTaken));
}

function isTaken(value: unknown): value is Taken {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [key, tokens] = value as unknown[];
  if (typeof key !== 'string' || !KEY.test(key) || typeof tokens !== 'number') return false;
  return tokens > 0 && tokens <= MAX_TOKENS;
}
