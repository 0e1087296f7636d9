import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { SettlementBooks } from '@paymaster/ledger/settlement';
import { connectPatiently } from '@paymaster/messaging';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { Events, type NatsConnection } from 'nats';
import { Pool } from 'pg';
import { SettlementConfig } from '../config/settlement.config';
import { BOOKS } from '../database/books.token';
import { LEASE_HOLDER } from '../following/followed-chain';
import { LeaseKeeper } from '../following/lease-keeper';
import { repeat } from '../following/repeat';
import { LedgerMetrics } from '../metrics/ledger-metrics';
import {
  EventStream,
  problemOf,
  streamConnectionOptions,
  StreamMissingError,
  streamSettings,
  StreamShapeError,
} from './event-stream';
import { OutboxPublisher } from './outbox-publisher';
import { OutboxState } from './outbox-state';

/** The id of the publisher's lease. Other leases have a chain's id there, and no chain has this id. */
export const OUTBOX_LEASE = 0;
const PAUSE_MS = 500;
/** How often the stream is looked after while nothing waits to be published; milliseconds, or a third of the lease. */
const QUIET_PAUSE_MS = 2_000;
/** While publishing fails again and again, one failure in this many is logged. */
const FAULTS_PER_LINE = 20;
const DAY_MS = 86_400_000;

/** Publishes in the background. While the broker is away, settling goes on and the outbox grows. */
@Injectable()
export class OutboxPublisherService implements HealthCheck, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly name = 'nats';
  readonly essential = false;
  private readonly logger = new Logger(OutboxPublisherService.name);
  private readonly stopping = new AbortController();
  private readonly lease: LeaseKeeper;
  private readonly state: OutboxState;
  private readonly publisher: OutboxPublisher;
  private connection: NatsConnection | undefined;
  private connected = false;
  /** When the last step that published began: it found the stream whole. */
  private foundWholeAtMs = -Infinity;
  private reconnects = 0;
  /** Why this process publishes nothing although NATS is up. */
  private streamProblem: string | undefined;
  private otherLimits: readonly string[] = [];
  private connecting: Promise<void> | undefined;
  private publishing: Promise<void> | undefined;

  constructor(
    private readonly config: SettlementConfig,
    @Inject(BOOKS) books: SettlementBooks,
    pool: Pool,
    @Inject(LEASE_HOLDER) holder: string,
    private readonly metrics: LedgerMetrics,
  ) {
    this.lease = new LeaseKeeper({ books, chainId: OUTBOX_LEASE, holder, ttlMs: config.leaseTtlSeconds * 1_000 });
    this.state = new OutboxState(pool);
    this.publisher = new OutboxPublisher({
      outbox: books.outbox,
      state: this.state,
      lease: this.lease,
      retentionMs: config.outboxRetentionDays * DAY_MS,
      onOtherLimits: (names) => (this.otherLimits = names),
      onPublished: (events) => metrics.published.inc(events),
      onRefusalsDropped: (events) => metrics.droppedRefusals.inc(events),
      onRebuild: (events) => {
        metrics.rebuilds.inc();
        this.logger.warn({ events }, 'the stream had lost events: they are published again');
      },
    });
  }

  onApplicationBootstrap(): void {
    const options = streamConnectionOptions(this.config, 'settlement');
    // Rejects only when the process stops before NATS is connected.
    this.connecting = connectPatiently(options, this.stopping.signal).then(
      (connection) => this.connectedTo(connection),
      () => undefined,
    );
    this.publishing = repeat({
      step: () => this.step(),
      pauseMs: () => PAUSE_MS,
      onFault: (error, failuresInARow) => {
        if (failuresInARow % FAULTS_PER_LINE !== 1) return;
        this.logger.warn({ problem: problemOf(error) }, 'events wait in the outbox');
      },
      signal: this.stopping.signal,
    });
  }

  /** The connection to NATS, for metrics. */
  get link(): { readonly connected: boolean; readonly reconnects: number } {
    return { connected: this.connected, reconnects: this.reconnects };
  }

  check(): HealthReport {
    const wait = 'events wait in the outbox';
    if (!this.connected) return { status: 'down', detail: `not connected to NATS: ${wait}` };
    if (this.streamProblem !== undefined) return { status: 'down', detail: `${this.streamProblem}: ${wait}` };
    if (this.otherLimits.length === 0) return { status: 'up' };
    const detail = `the stream has another ${this.otherLimits.join(', ')} than the settings: run stream.js`;
    return { status: 'degraded', detail };
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.connecting;
    await this.publishing;
    await this.lease.release().catch(() => undefined);
    await this.connection?.close();
  }

  private async step(): Promise<boolean> {
    const unpublished = await this.state.unpublished();
    this.metrics.unpublished.set(unpublished);
    if (!this.connection || !this.connected) return false;
    const startedMs = performance.now();
    const quietMs = Math.min(QUIET_PAUSE_MS, (this.config.leaseTtlSeconds * 1_000) / 3);
    if (unpublished === 0 && startedMs - this.foundWholeAtMs < quietMs) return false;
    const stream = new EventStream(this.connection, streamSettings(this.config));
    try {
      const more = await this.publisher.step(stream);
      this.streamProblem = undefined;
      this.foundWholeAtMs = startedMs;
      return more;
    } catch (error) {
      this.foundWholeAtMs = -Infinity;
      const isStream = error instanceof StreamMissingError || error instanceof StreamShapeError;
      this.streamProblem = isStream ? error.message : undefined;
      throw error;
    }
  }

  private connectedTo(connection: NatsConnection): void {
    this.connection = connection;
    this.connected = true;
    void this.watch(connection);
  }

  private async watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) this.connected = false;
      if (type !== Events.Reconnect) continue;
      this.connected = true;
      this.reconnects++;
    }
    this.connected = false;
  }
}
