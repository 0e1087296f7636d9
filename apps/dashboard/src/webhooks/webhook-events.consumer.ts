import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { SponsorshipConsumer, type NatsSettings, type SponsorshipEvent } from '@paymaster/messaging';
import { DashboardConfig } from '../config/dashboard.config';
import { DeadEventsRepository } from '../dead-events/dead-events.repository';
import type { ReadStream } from '../metrics/stream-gauges';
import { DeliveriesRepository } from './deliveries.repository';
import { eventMessage } from './event-message';

/** All dashboard processes share one place in the stream. */
const DURABLE = 'dashboard-webhooks';

/** Queues what happens for the webhooks that want to be told. */
@Injectable()
export class WebhookEventsConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookEventsConsumer.name);
  private readonly consumer: SponsorshipConsumer;

  constructor(
    @Inject(DashboardConfig) nats: NatsSettings,
    @Inject(DeliveriesRepository) private readonly deliveries: DeliveriesRepository,
    @Inject(DeadEventsRepository) deadEvents: DeadEventsRepository,
  ) {
    this.consumer = new SponsorshipConsumer({
      nats,
      durable: DURABLE,
      handle: (event) => this.queue(event),
      onPoison: (message) => deadEvents.add(DURABLE, message),
      onProblem: ({ message }) => this.logger.debug({ problem: message }, 'the event stream cannot be read just now'),
    });
  }

  /** Its place in the stream, for metrics. */
  get stream(): ReadStream {
    return { consumer: DURABLE, pending: this.consumer.pending };
  }

  onApplicationBootstrap(): void {
    this.consumer.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.consumer.stop();
  }

  /** Idempotent: a delivery is unique by webhook and event. */
  async queue(event: SponsorshipEvent): Promise<void> {
    const message = eventMessage(event);
    if (message && event.paymasterId !== null) await this.deliveries.enqueue(event.paymasterId, message);
  }
}
