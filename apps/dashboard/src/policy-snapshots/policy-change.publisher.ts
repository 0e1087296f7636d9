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
import { DashboardConfig } from '../config/dashboard.config';

/**
 * Tells every gateway that a policy changed. Best effort: a write never fails or waits because NATS is down, the
 * gateways revalidate every 10 s anyway.
 */
@Injectable()
export class PolicyChangePublisher implements HealthCheck, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly name = 'nats';
  readonly essential = false;
  private readonly logger = new Logger(PolicyChangePublisher.name);
  private readonly client: ClientNats;
  private connected = false;

  constructor(
    @Inject(DashboardConfig) config: NatsSettings,
    @Inject(MessageAuthenticator) private readonly authenticator: MessageAuthenticator,
  ) {
    this.client = createNatsClient(config, 'dashboard-publisher');
  }

  onApplicationBootstrap(): void {
    this.client.status.subscribe((status) => (this.connected = status === 'connected'));
    // Connects for as long as it takes; only a closed client gives up.
    this.client.connect().catch(() => undefined);
  }

  /** Call after the commit. Returns at once. */
  publish(event: PolicyChangedEvent): void {
    this.client.emit<void>(SUBJECTS.policyChanged, this.authenticator.signChange(event)).subscribe({
      error: ({ message }: Error) =>
        this.logger.warn({ ...event, problem: message }, 'a policy change was not broadcast'),
    });
  }

  check(): HealthReport {
    return this.connected
      ? { status: 'up' }
      : { status: 'down', detail: 'not connected to NATS: gateways learn of changes late, new ones not at all' };
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
