import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { ClientNats } from '@nestjs/microservices';
import {
  createNatsClient,
  MessageAuthenticator,
  SUBJECTS,
  type NatsSettings,
  type PolicyChangedEvent,
} from '@paymaster/messaging';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { LRUCache } from 'lru-cache';
import type { NatsConnection } from 'nats';
import { lastValueFrom } from 'rxjs';
import { DashboardConfig } from '../../platform/config/dashboard.config';

/** Paymasters whose change is kept until it can be told; of more, the longest waiting are left to the revalidation. */
const MAX_UNTOLD = 10_000;

/**
 * Tells every gateway that a policy changed. A write never fails or waits because NATS is down: what the broker has
 * not confirmed is told when it is back. nats.js forgets what is published while it reconnects, and this connection
 * may be the last to come back. A process that ends before that leaves it to the news that gateways ask for every 2 s.
 */
@Injectable()
export class PolicyChangePublisher implements HealthCheck, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly name = 'nats';
  readonly essential = false;
  private readonly logger = new Logger(PolicyChangePublisher.name);
  private readonly client: ClientNats;
  private connected = false;
  private connections = 0;
  /** The highest version of each paymaster that the broker has not confirmed. */
  private readonly untold = new LRUCache<string, number>({ max: MAX_UNTOLD });

  constructor(
    @Inject(DashboardConfig) config: NatsSettings,
    private readonly authenticator: MessageAuthenticator,
  ) {
    this.client = createNatsClient(config, 'dashboard-publisher');
  }

  onApplicationBootstrap(): void {
    this.client.status.subscribe((status) => {
      this.connected = status === 'connected';
      if (this.connected) this.connections++;
      if (this.connected) void this.tell([...this.untold].map(([paymasterId, version]) => ({ paymasterId, version })));
    });
    // Connects for as long as it takes; only a closed client gives up.
    this.client.connect().catch(() => undefined);
  }

  /** Call after the commit. Returns at once. */
  publish(event: PolicyChangedEvent): void {
    const { paymasterId, version } = event;
    this.untold.set(paymasterId, Math.max(version, this.untold.get(paymasterId) ?? 0));
    if (this.connected) void this.tell([event]);
  }

  /** The connection to NATS, for metrics. */
  get link(): { readonly connected: boolean; readonly reconnects: number } {
    return { connected: this.connected, reconnects: Math.max(0, this.connections - 1) };
  }

  /** Paymasters with a change that the broker has not confirmed, for metrics. */
  get changesUntold(): number {
    return this.untold.size;
  }

  check(): HealthReport {
    return this.connected
      ? { status: 'up' }
      : { status: 'down', detail: 'not connected to NATS: gateways learn of changes late, new ones not at all' };
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  private async tell(events: readonly PolicyChangedEvent[]): Promise<void> {
    try {
      for (const event of events) {
        const signed = this.authenticator.signChange(event);
        await lastValueFrom(this.client.emit<void>(SUBJECTS.policyChanged, signed), { defaultValue: undefined });
      }
      await this.client.unwrap<NatsConnection>().flush();
      for (const { paymasterId, version } of events) {
        if ((this.untold.get(paymasterId) ?? 0) <= version) this.untold.delete(paymasterId);
      }
    } catch (error) {
      const problem = error instanceof Error ? error.message : 'unknown';
      this.logger.warn({ changes: events.length, problem }, 'policy changes are broadcast when NATS is back');
    }
  }
}
