import { Injectable } from '@nestjs/common';
import { NetworkOpener } from '../near-networks/network-opener';
import { DeliveryMetrics } from './delivery-metrics';
import type { Attempt } from './delivery-queue';
import { DeliveriesRepository, type DueDelivery } from './deliveries.repository';
import { nameNetwork } from './event-message';
import { afterAttempt, ReceiversWorker } from './receivers-worker';
import { WebhookSender } from './webhook-sender';

const TIMEOUT_MS = 10_000;

/** Sends what is due to event webhooks. */
@Injectable()
export class DeliveriesWorker extends ReceiversWorker {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly sender: WebhookSender,
    private readonly metrics: DeliveryMetrics,
    private readonly opener: NetworkOpener,
  ) {
    super(deliveries);
  }

  protected get isSetUp(): boolean {
    return this.sender.isSetUp;
  }

  protected async serveNext(webhookId: string): Promise<boolean> {
    const delivery = await this.deliveries.claim(webhookId);
    if (!delivery) return false;
    const attempt = await this.attempt(delivery);
    await this.deliveries.record(attempt);
    this.metrics.attempted('event', attempt.status);
    return attempt.status === 'delivered';
  }

  private async attempt({ id, attempts, ...message }: DueDelivery): Promise<Attempt> {
    const body = nameNetwork(message, this.opener);
    const { delivered, status, answer, problem } = await this.sender.send({ ...message, body, timeoutMs: TIMEOUT_MS });
    const after = afterAttempt(attempts, delivered);
    return { id, ...after, lastStatus: status, lastAnswer: answer, lastProblem: problem };
  }
}
