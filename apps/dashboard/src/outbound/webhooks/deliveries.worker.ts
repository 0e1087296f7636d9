import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { NetworkOpener } from '../near-networks/network-opener';
import { DeliveryMetrics } from './delivery-metrics';
import { DeliveriesRepository, type Attempt, type DueDelivery } from './deliveries.repository';
import { nameNetwork } from './name-network';
import { retryPauseMs } from './retry-schedule';
import { WebhookSender } from './webhook-sender';

/** How often something due is looked for. */
const POLL_MS = 1_000;
/** Webhooks served at once by this process; each one's messages go one after the other. */
const MAX_WEBHOOKS_AT_ONCE = 32;
/** Of one account, however many paymasters it has: those that hang hold up nobody else's. */
const MAX_WEBHOOKS_OF_AN_ACCOUNT = 4;
/** Messages of one webhook before the others get their turn. */
const MAX_IN_A_ROW = 50;
const TIMEOUT_MS = 10_000;

/** Sends what is due to event webhooks. Any number of processes may; a slow receiver holds up only itself. */
@Injectable()
export class DeliveriesWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveriesWorker.name);
  private readonly served = new Map<string, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly sender: WebhookSender,
    private readonly metrics: DeliveryMetrics,
    private readonly opener: NetworkOpener,
  ) {}

  onApplicationBootstrap(): void {
    if (this.sender.isSetUp) this.lookAgain();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
    await Promise.all(this.served.values());
  }

  private lookAgain(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        .catch(({ message }: Error) => this.logger.warn({ problem: message }, 'deliveries cannot be read'))
        .finally(() => this.lookAgain());
    }, POLL_MS);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    const free = MAX_WEBHOOKS_AT_ONCE - this.served.size;
    if (free === 0) return;
    const due = await this.deliveries.dueWebhooks({
      limit: free,
      perAccount: MAX_WEBHOOKS_OF_AN_ACCOUNT,
      served: [...this.served.keys()],
    });
    for (const id of due) {
      const serving = this.serve(id)
        .catch(({ message }: Error) => this.logger.warn({ webhookId: id, problem: message }, 'a delivery was cut off'))
        .finally(() => this.served.delete(id));
      this.served.set(id, serving);
    }
  }

  private async serve(webhookId: string): Promise<void> {
    for (let sent = 0; sent < MAX_IN_A_ROW && !this.stopped; sent++) {
      const delivery = await this.deliveries.claim(webhookId);
      if (!delivery) return;
      const attempt = await this.attempt(delivery);
      await this.deliveries.record(attempt);
      this.metrics.attempted(attempt.status);
      // A receiver that is down does not have to hear of the others as well.
      if (attempt.status !== 'delivered') return;
    }
  }

  private async attempt({ id, attempts, ...message }: DueDelivery): Promise<Attempt> {
    const body = nameNetwork(message, this.opener);
    const { delivered, status, answer, problem } = await this.sender.send({ ...message, body, timeoutMs: TIMEOUT_MS });
    return { id, ...next(attempts, delivered), lastStatus: status, lastAnswer: answer, lastProblem: problem };
  }
}

function next(attempts: number, delivered: boolean): Pick<Attempt, 'status' | 'retryInMs'> {
  if (delivered) return { status: 'delivered', retryInMs: 0 };
  const retryInMs = retryPauseMs(attempts);
  return retryInMs === undefined ? { status: 'dead', retryInMs: 0 } : { status: 'pending', retryInMs };
}
