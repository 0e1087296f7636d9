import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { WebhookClient, WebhookError, type WebhookAnswer } from '@paymaster/webhooks';
import { DashboardConfig } from '../config/dashboard.config';
import { DeliveryMetrics } from './delivery-metrics';
import { DeliveriesRepository, type Attempt, type DueDelivery } from './deliveries.repository';
import { retryPauseMs } from './retry-schedule';
import { WebhooksRepository } from './webhooks.repository';

/** How often something due is looked for. */
const POLL_MS = 1_000;
/** Webhooks served at once by this process; each one's messages go one after the other. */
const MAX_WEBHOOKS_AT_ONCE = 32;
/** Of one account, however many paymasters it has: those that hang hold up nobody else's. */
const MAX_WEBHOOKS_OF_AN_ACCOUNT = 4;
/** Messages of one webhook before the others get their turn. */
const MAX_IN_A_ROW = 50;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_CHARACTERS = 1_024;

/** Sends what is due to event webhooks. Any number of processes may; a slow receiver holds up only itself. */
@Injectable()
export class DeliveriesWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveriesWorker.name);
  private readonly client: WebhookClient | undefined;
  private readonly served = new Map<string, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    @Inject(DashboardConfig) config: Pick<DashboardConfig, 'webhookSigningKey' | 'webhookAllowInsecure'>,
    @Inject(DeliveriesRepository) private readonly deliveries: DeliveriesRepository,
    @Inject(WebhooksRepository) private readonly webhooks: WebhooksRepository,
    @Inject(DeliveryMetrics) private readonly metrics: DeliveryMetrics,
  ) {
    const { webhookSigningKey, webhookAllowInsecure: allowInsecure } = config;
    if (!webhookSigningKey) return;
    this.client = new WebhookClient({ signingKey: Buffer.from(webhookSigningKey, 'hex'), allowInsecure });
  }

  onApplicationBootstrap(): void {
    if (this.client) this.lookAgain();
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

  private async attempt({ id, webhookId, eventId, body, url, attempts }: DueDelivery): Promise<Attempt> {
    const secretVersions = (await this.webhooks.secretVersions([webhookId])).get(webhookId) ?? [1];
    const request = { webhookId, secretVersions, url, method: 'POST' as const, messageId: eventId, body };
    try {
      const answer = await this.sender.send({ ...request, timeoutMs: TIMEOUT_MS });
      const delivered = answer.status >= 200 && answer.status < 300;
      return { id, ...next(attempts, delivered), ...shown(answer), lastProblem: null };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return { id, ...next(attempts, false), lastStatus: null, lastAnswer: null, lastProblem: error.message };
    }
  }

  private get sender(): WebhookClient {
    if (!this.client) throw new Error('there is no signing key');
    return this.client;
  }
}

function next(attempts: number, delivered: boolean): Pick<Attempt, 'status' | 'retryInMs'> {
  if (delivered) return { status: 'delivered', retryInMs: 0 };
  const retryInMs = retryPauseMs(attempts);
  return retryInMs === undefined ? { status: 'dead', retryInMs: 0 } : { status: 'pending', retryInMs };
}

/** Postgres text has no NUL. */
function shown({ status, body }: WebhookAnswer): Pick<Attempt, 'lastStatus' | 'lastAnswer'> {
  return { lastStatus: status, lastAnswer: body.slice(0, MAX_ANSWER_CHARACTERS).replaceAll('\0', '') };
}
