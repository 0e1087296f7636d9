import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { SettlementBooks } from '@paymaster/ledger/settlement';
import { connectPatiently, natsConnectionOptions } from '@paymaster/messaging';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { Events, NatsError, type NatsConnection } from 'nats';
import { Pool } from 'pg';
import { SettlementConfig } from '../config/settlement.config';
import { BOOKS } from '../database/books.token';
import { LEASE_HOLDER } from '../following/followed-chain';
import { LeaseKeeper } from '../following/lease-keeper';
import { repeat } from '../following/repeat';
import { LedgerMetrics } from '../metrics/ledger-metrics';
import { EventStream } from './event-stream';
import { OutboxPublisher } from './outbox-publisher';
import { OutboxState } from './outbox-state';

/** Stands where a chain's id stands in other leases; no chain has it. */
export const OUTBOX_LEASE = 0;
const PAUSE_MS = 500;
/** Of many failures in a row, one line each so many. */
const FAULTS_PER_LINE = 20;
const DAY_MS = 86_400_000;

/** Publishes in the background. A broker that is away never stops settling: the outbox grows meanwhile. */
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
  private reconnects = 0;
  private connecting: Promise<void> | undefined;
  private publishing: Promise<void> | undefined;

  constructor(
    @Inject(SettlementConfig) private readonly config: SettlementConfig,
    @Inject(BOOKS) books: SettlementBooks,
    @Inject(Pool) pool: Pool,
    @Inject(LEASE_HOLDER) holder: string,
    @Inject(LedgerMetrics) private readonly metrics: LedgerMetrics,
  ) {
    this.lease = new LeaseKeeper({ books, chainId: OUTBOX_LEASE, holder, ttlMs: config.leaseTtlSeconds * 1_000 });
    this.state = new OutboxState(pool);
    this.publisher = new OutboxPublisher({
      outbox: books.outbox,
      state: this.state,
      lease: this.lease,
      retentionMs: config.outboxRetentionDays * DAY_MS,
      onPublished: (events) => metrics.published.inc(events),
      onRefusalsDropped: (events) => metrics.droppedRefusals.inc(events),
      onRebuild: (events) => {
        metrics.rebuilds.inc();
        this.logger.warn({ events }, 'the stream had lost events: they are published again');
      },
    });
  }

  onApplicationBootstrap(): void {
    const options = { ...natsConnectionOptions(this.config, 'settlement'), inboxPrefix: this.inboxPrefix() };
    // Rejects only when the process stops before there is a broker.
    this.connecting = connectPatiently(options, this.stopping.signal).then(
      (connection) => this.connectedTo(connection),
      () => undefined,
    );
    this.publishing = repeat({
      step: () => this.step(),
      pauseMs: PAUSE_MS,
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
    return this.connected
      ? { status: 'up' }
      : { status: 'down', detail: 'not connected to NATS: events wait in the outbox' };
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.connecting;
    await this.publishing;
    await this.lease.release().catch(() => undefined);
    await this.connection?.close();
  }

  private async step(): Promise<boolean> {
    this.metrics.unpublished.set(await this.state.unpublished());
    if (!this.connection || !this.connected) return false;
    const { outboxRetentionDays, streamMaxBytes, streamReplicas } = this.config;
    const stream = new EventStream(this.connection, {
      maxAgeMs: outboxRetentionDays * DAY_MS,
      maxBytes: streamMaxBytes,
      replicas: streamReplicas,
    });
    return this.publisher.step(stream);
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

  /** As in SponsorshipConsumer: who may hear one app's answers does not hear the others'. */
  private inboxPrefix(): string {
    return `_INBOX_${this.config.natsUser ?? 'settlement'}`;
  }
}

/** JetStream's own words are beside the message, which may be a bare number. */
function problemOf(error: unknown): string {
  if (error instanceof NatsError && error.api_error) return error.api_error.description;
  return error instanceof Error ? error.message : String(error);
}
