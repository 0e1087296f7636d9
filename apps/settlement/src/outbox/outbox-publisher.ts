import type { Outbox, OutboxEvent } from '@paymaster/ledger/settlement';
import type { LeaseKeeper } from '../following/lease-keeper';
import type { EventStream, StreamFill, StreamPlace } from './event-stream';
import type { OutboxState } from './outbox-state';
import { fitRefusals, makeRoom } from './stream-room';

export interface OutboxPublisherOptions {
  readonly outbox: Outbox;
  readonly state: OutboxState;
  /** Only one process publishes, so that the stream has the order of the outbox. */
  readonly lease: Pick<LeaseKeeper, 'hold'>;
  /** How far back the stream can be filled again. The stream keeps events for the same time. Milliseconds. */
  readonly retentionMs: number;
  readonly now?: () => number;
  /** Called before each batch with the limits of the stream that differ from the settings. */
  readonly onOtherLimits: (names: readonly string[]) => void;
  /** Called when the stream had lost events, with the number of events that are published again. */
  readonly onRebuild: (events: number) => void;
  readonly onPublished: (events: number) => void;
  /** Called with the number of refusals that were not sent because the stream is nearly full. */
  readonly onRefusalsDropped: (events: number) => void;
}

/** Events in flight at a time. */
const BATCH = 500;
/** How long a process claims events; if it dies, other processes publish them afterwards. Milliseconds. */
const CLAIM_MS = 10_000;

/**
 * Publishes the outbox into the stream, each event at least once. The server and every consumer drop repetitions by the
 * event's id. Events that the stream lost are published again.
 */
export class OutboxPublisher {
  /** The last message whose acknowledgement this process saw. While the stream has it, the stream has lost nothing. */
  private tail: StreamPlace | undefined;

  constructor(private readonly options: OutboxPublisherOptions) {}

  /**
   * If the stream lost events, marks them as unpublished. Then makes room in the stream and publishes a batch.
   *
   * @returns whether there is more
   * @throws {StreamMissingError} while the stream is not there
   * @throws {StreamShapeError} while the stream has other fixed settings than ours
   * @throws when the server or the database is away, or refuses an event; acknowledged events stay published
   */
  async step(stream: EventStream): Promise<boolean> {
    if (!(await this.options.lease.hold())) {
      // Another process publishes now, so what this process remembers of the stream's end is out of date.
      this.tail = undefined;
      return false;
    }
    await this.makeWhole(stream);
    const fill = await makeRoom({ stream, keep: () => this.messagesThatShowLoss(stream) });
    return this.publishBatch(stream, fill);
  }

  private async makeWhole(stream: EventStream): Promise<void> {
    this.options.onOtherLimits(await stream.check());
    if (!(await this.hasLostEvents(stream))) return;
    const events = await this.options.outbox.republish(this.retainedSince());
    this.tail = undefined;
    if (events > 0) this.options.onRebuild(events);
  }

  private async hasLostEvents(stream: EventStream): Promise<boolean> {
    if (this.tail) return !(await stream.holds(this.tail));
    const { state } = this.options;
    const last = await state.lastPublished(this.retainedSince());
    if (!last) return false;
    const place = await stream.lastOf(last);
    if (place?.eventId === last.eventId) {
      this.tail = place;
      return false;
    }
    return !place || !(await state.mayFollow(place.eventId, last.eventId));
  }

  /**
   * The messages whose absence shows a loss, to this process and to a process that starts later. Undefined when the
   * newest event that was sent is not in the stream.
   */
  private async messagesThatShowLoss(stream: EventStream): Promise<readonly StreamPlace[] | undefined> {
    const tail = this.tail ? [this.tail] : [];
    const last = await this.options.state.lastPublished(this.retainedSince());
    if (!last) return tail;
    const place = await stream.lastOf(last);
    return place && [...tail, place];
  }

  private async publishBatch(stream: EventStream, fill: StreamFill): Promise<boolean> {
    const { outbox, onPublished } = this.options;
    const taken = await outbox.takeUnpublished({ limit: BATCH, claimMs: CLAIM_MS });
    if (taken.length === 0) return false;
    const { sent: events, dropped } = fitRefusals(taken, fill);
    await this.drop(dropped);
    const results = await Promise.allSettled(events.map(({ event }) => stream.publish(event)));
    const idsOf = (status: 'fulfilled' | 'rejected') =>
      events.filter((_, index) => results[index]?.status === status).map(({ id }) => id);
    const places = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));

    await outbox.markPublished(idsOf('fulfilled'));
    onPublished(places.length);
    this.tail = places.reduce((last, place) => (last && last.sequence > place.sequence ? last : place), this.tail);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) {
      await outbox.release(idsOf('rejected'));
      throw failure.reason;
    }
    return taken.length === BATCH;
  }

  /** Marked as published without a claim, so that OutboxState knows that the stream never had it. */
  private async drop(refusals: readonly OutboxEvent[]): Promise<void> {
    if (refusals.length === 0) return;
    const { outbox, onRefusalsDropped } = this.options;
    const ids = refusals.map(({ id }) => id);
    await outbox.release(ids);
    await outbox.markPublished(ids);
    onRefusalsDropped(ids.length);
  }

  private retainedSince(): Date {
    const { now = Date.now, retentionMs } = this.options;
    return new Date(now() - retentionMs);
  }
}
