import { PassThrough, type Readable } from 'node:stream';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { AccountEvent } from '../../platform/account-events/account-event';
import { AccountEventsRepository } from '../../platform/account-events/account-events.repository';
import { TooManyRequestsError } from '../../platform/http/dashboard-errors';

const LOOK_MS = 1_000;
const HEARTBEAT_MS = 15_000;
/** Of one account in this process: pages of a few people, and no more. */
const MOST_OF_ACCOUNT = 10;
const MOST_OF_ALL = 1_000;
/** A client that reads slower is cut off, and comes back with the id of what it has read. */
const MOST_UNREAD_BYTES = 262_144;
const PAGE = 100;
/** A client that missed more is told to read everything again: its backlog would not fit into what may be unread. */
const MOST_BEHIND = 300;
const RETRY_AFTER_SECONDS = 5;

export interface StreamRequest {
  readonly accountId: string;
  /** The number of the last event that the client has; undefined: from now on. */
  readonly after: number | undefined;
  /** False: ends when the client has all that there is. */
  readonly follow: boolean;
  /** Rejects when the caller may no longer read the account. */
  readonly assertStillAllowed: () => Promise<unknown>;
}

interface Stream extends StreamRequest {
  readonly out: PassThrough;
  /** Until then `begin` sends the events, and a look passes over the stream: it would send them a second time. */
  hasBegun: boolean;
  sent: number;
  /** When the caller's rights were last found to be in force; milliseconds. */
  checkedAtMs: number;
}

/** Streams of server-sent events. One look each second serves all streams of the process. */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  private readonly logger = new Logger(EventStreams.name);
  private readonly streams = new Set<Stream>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly events: AccountEventsRepository) {}

  /** @throws {TooManyRequestsError} when the account, or all together, have too many streams, or the process ends */
  async open(request: StreamRequest): Promise<Readable> {
    const { accountId, after } = request;
    const ofAccount = [...this.streams].filter((stream) => stream.accountId === accountId).length;
    if (this.stopped || ofAccount >= MOST_OF_ACCOUNT || this.streams.size >= MOST_OF_ALL) {
      throw new TooManyRequestsError(RETRY_AFTER_SECONDS);
    }
    const stream: Stream = {
      ...request,
      ...{ out: new PassThrough(), hasBegun: false, sent: after ?? 0, checkedAtMs: performance.now() },
    };
    this.streams.add(stream);
    stream.out.once('close', () => this.streams.delete(stream));
    try {
      await this.begin(stream);
    } catch (error) {
      stream.out.destroy();
      throw error;
    }
    this.lookAgain();
    return stream.out;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    for (const { out, hasBegun } of this.streams) if (hasBegun) out.end();
    this.streams.clear();
    await this.looking;
  }

  /** A client whose last event is forgotten, or of books that were restored, is told to read everything again. */
  private async begin(stream: Stream): Promise<void> {
    const { accountId, after, out } = stream;
    const last = (await this.events.lastNumbers([accountId])).get(accountId) ?? 0;
    out.write(`retry: ${LOOK_MS}\n\n`);
    if (after === undefined) stream.sent = last;
    const [oldest] = stream.sent < last ? await this.events.after(accountId, stream.sent, 1) : [];
    const isFarBehind = last - stream.sent > MOST_BEHIND;
    const isLost = isFarBehind || stream.sent > last || (stream.sent < last && oldest?.number !== stream.sent + 1);
    if (isLost) {
      stream.sent = last;
      out.write(`id: ${last}\nevent: reset\ndata: {}\n\n`);
    }
    await this.send(stream, last);
    stream.hasBegun = true;
    if (!stream.follow || this.stopped) out.end();
  }

  private lookAgain(): void {
    if (this.timer || this.streams.size === 0) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        .catch(({ message }: Error) => this.logger.warn({ problem: message }, 'events of accounts cannot be read'))
        .finally(() => {
          this.timer = undefined;
          this.lookAgain();
        });
    }, LOOK_MS);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    const streams = [...this.streams].filter(({ hasBegun, out }) => hasBegun && out.writable);
    const last = await this.events.lastNumbers([...new Set(streams.map(({ accountId }) => accountId))]);
    for (const stream of streams) {
      if (!(await this.isAllowed(stream))) continue;
      await this.send(stream, last.get(stream.accountId) ?? 0);
    }
  }

  /** Asked again with each heartbeat. */
  private async isAllowed(stream: Stream): Promise<boolean> {
    if (performance.now() - stream.checkedAtMs < HEARTBEAT_MS) return true;
    try {
      await stream.assertStillAllowed();
    } catch {
      stream.out.end();
      return false;
    }
    stream.checkedAtMs = performance.now();
    stream.out.write(': still here\n\n');
    return true;
  }

  private async send(stream: Stream, last: number): Promise<void> {
    while (stream.sent < last && stream.out.writable) {
      if (stream.out.writableLength > MOST_UNREAD_BYTES) return void stream.out.destroy();
      const events = await this.events.after(stream.accountId, stream.sent, PAGE);
      if (events.length === 0 || !stream.out.writable) return;
      stream.out.write(events.map(textOf).join(''));
      stream.sent = events.at(-1)?.number ?? last;
    }
  }
}

/** As the standard of server-sent events has it. JSON has no line break. */
export function textOf({ number, type, at, data }: AccountEvent): string {
  return `id: ${number}\nevent: ${type}\ndata: ${JSON.stringify({ at: at.toISOString(), ...data })}\n\n`;
}
