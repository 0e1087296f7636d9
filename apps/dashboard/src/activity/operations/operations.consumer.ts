import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SponsorshipConsumer } from '@paymaster/messaging';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { DashboardConfig, eventsNats } from '../../platform/config/dashboard.config';
import { DeadEventsRepository } from '../../platform/dead-events/dead-events.repository';
import { OperationsProjection } from './operations.projection';

/** One durable consumer for all dashboard processes, so that each event is handled by one of them. */
export const OPERATIONS_CONSUMER = 'dashboard-operations';

/** Reads the event stream into {@link OperationsProjection}, in the background. */
@Injectable()
export class OperationsConsumer implements HealthCheck, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly name = 'operations';
  readonly essential = false;
  private readonly logger = new Logger(OperationsConsumer.name);
  private readonly consumer: SponsorshipConsumer;

  constructor(config: DashboardConfig, projection: OperationsProjection, deadEvents: DeadEventsRepository) {
    this.consumer = new SponsorshipConsumer({
      nats: eventsNats(config),
      durable: OPERATIONS_CONSUMER,
      handle: (event) => projection.apply(event),
      onPoison: (message) => deadEvents.add(OPERATIONS_CONSUMER, message),
      onProblem: ({ message }) => this.logger.debug({ problem: message }, 'the event stream cannot be read just now'),
    });
  }

  /** Its place in the stream, for metrics; `pending` is undefined while the stream does not answer this process. */
  get stream(): { readonly consumer: string; readonly pending: number | undefined } {
    return { consumer: OPERATIONS_CONSUMER, pending: this.consumer.pending };
  }

  onApplicationBootstrap(): void {
    this.consumer.start();
  }

  check(): HealthReport {
    return this.consumer.connected
      ? { status: 'up' }
      : { status: 'degraded', detail: 'the event stream does not answer: operations and usage are behind' };
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.consumer.stop();
  }
}
