import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SponsorshipConsumer } from '@paymaster/messaging';
import { DashboardConfig, eventsNats } from '../../platform/config/dashboard.config';
import { DeadEventsRepository } from '../../platform/dead-events/dead-events.repository';
import { DeliveriesRepository } from './deliveries.repository';

/** All dashboard processes share one place in the stream. */
export const WEBHOOKS_CONSUMER = 'dashboard-webhooks';

/** Queues what happens for the webhooks that want to be told. */
@Injectable()
export class WebhookEventsConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookEventsConsumer.name);
  private readonly consumer: SponsorshipConsumer;

  constructor(config: DashboardConfig, deliveries: DeliveriesRepository, deadEvents: DeadEventsRepository) {
    this.consumer = new SponsorshipConsumer({
      nats: eventsNats(config),
      durable: WEBHOOKS_CONSUMER,
      handle: (event) => deliveries.enqueueEvent(event),
      onPoison: (message) => deadEvents.add(WEBHOOKS_CONSUMER, message),
      onProblem: ({ message }) => this.logger.debug({ problem: message }, 'the event stream cannot be read just now'),
    });
  }

  /** Its place in the stream, for metrics; `pending` is undefined while the stream does not answer this process. */
  get stream(): { readonly consumer: string; readonly pending: number | undefined } {
    return { consumer: WEBHOOKS_CONSUMER, pending: this.consumer.pending };
  }

  onApplicationBootstrap(): void {
    this.consumer.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.consumer.stop();
  }
}
