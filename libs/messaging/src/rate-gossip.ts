import { randomUUID } from 'node:crypto';
import type { NatsConnection } from 'nats';
import { Events } from 'nats';
import type { MessageAuthenticator } from './message-authenticator';
import { connectPatiently } from './nats-client';
import { natsConnectionOptions, type NatsSettings } from './nats-connection';
import { RateReader, toRateBody, type RateSubject, type Taken } from './rate-messages';

/** How often messages are sent; milliseconds. A limit may be exceeded by the requests of this time. */
const TELL_EVERY_MS = 100;
/** The most keys of one message; further keys wait for the next. */
const MAX_KEYS = 1_000;

/** Buckets that several processes share. */
export interface SharedBuckets {
  /** The tokens taken here since the last call, of at most this many keys. */
  drain(maxKeys: number): Taken[];
  /** Takes the tokens of requests that another process let through. */
  takeElsewhere(key: string, tokens: number): void;
}

export interface RateGossipOptions {
  readonly nats: NatsSettings;
  /** Name of the process in the server's connection list. */
  readonly name: string;
  readonly subject: RateSubject;
  readonly authenticator: MessageAuthenticator;
  /** The buckets by their name in messages, which is the same in every process. */
  readonly limits: Readonly<Record<string, SharedBuckets>>;
}

/**
 * Shares rate limits over all processes of an app. Ten times a second each process sends what it let through, and the
 * others take that from their own buckets (docs/adr/0013). No request waits for this. While NATS is away, each process
 * holds the limits alone, and it never reports the requests of that time.
 */
export class RateGossip {
  /** Messages since the start; an ignored message has no valid HMAC or can't be read. */
  readonly counts = { told: 0, heard: 0, ignored: 0 };

  private readonly from = randomUUID();
  private readonly closing = new AbortController();
  private readonly reader: RateReader;
  private connection: NatsConnection | undefined;
  private linked = false;
  private told = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: RateGossipOptions) {
    this.reader = new RateReader(options);
  }

  /** Whether this process can reach the others now. */
  get connected(): boolean {
    return this.linked;
  }

  /** Starts to connect and, once connected, to send and to listen. Returns at once. */
  start(): void {
    const { nats, name } = this.options;
    connectPatiently(natsConnectionOptions(nats, name), this.closing.signal).then(
      (connection) => this.join(connection),
      () => undefined, // Only a closed connection gives up connecting.
    );
    this.timer = setInterval(() => this.tell(), TELL_EVERY_MS);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.closing.abort();
    this.linked = false;
    await this.connection?.close();
  }

  private join(connection: NatsConnection): void {
    this.connection = connection;
    this.linked = true;
    connection.subscribe(this.options.subject, { callback: (error, { data }) => !error && this.hear(data) });
    void (async () => {
      for await (const { type } of connection.status()) {
        if (type === Events.Disconnect) this.linked = false;
        else if (type === Events.Reconnect) this.linked = true;
      }
    })();
  }

  private tell(): void {
    const { limits, subject, authenticator } = this.options;
    let room = MAX_KEYS;
    const taken: Record<string, Taken[]> = {};
    let some = false;
    for (const [limit, buckets] of Object.entries(limits)) {
      const drained = buckets.drain(room);
      if (drained.length === 0) continue;
      room -= drained.length;
      taken[limit] = drained;
      some = true;
    }
    // Does not use the client's own queue, because its messages would be out of date once NATS is back.
    if (!some || !this.linked) return;
    this.told += 1;
    const body = toRateBody({ from: this.from, number: this.told, timestampMs: Date.now(), taken });
    this.connection?.publish(subject, JSON.stringify(authenticator.signRates(subject, body)));
    this.counts.told += 1;
  }

  private hear(data: Uint8Array): void {
    const message = this.reader.read(data);
    if (message?.from === this.from) return;
    if (!message) {
      this.counts.ignored += 1;
      return;
    }
    this.counts.heard += 1;
    for (const [limit, taken] of Object.entries(message.taken)) {
      const buckets = this.options.limits[limit];
      for (const [key, tokens] of taken) buckets?.takeElsewhere(key, tokens);
    }
  }
}
