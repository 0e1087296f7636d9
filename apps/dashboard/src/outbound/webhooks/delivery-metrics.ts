import { Injectable } from '@nestjs/common';
import { Metrics, type Tally } from '@paymaster/nest-kit';
import type { DeliveryStatus } from './webhook';

/** What became of attempts to tell event webhooks: delivered, to be tried again, or given up. */
@Injectable()
export class DeliveryMetrics {
  private readonly tallies: Readonly<Record<DeliveryStatus, Tally>>;

  constructor(metrics: Metrics) {
    const deliveries = metrics.counter({
      name: 'paymaster_webhook_deliveries_total',
      help: 'Attempts to deliver a webhook, by what became of them',
      labelNames: ['kind', 'outcome'],
    });
    const tally = (outcome: string) => deliveries.tally({ kind: 'event', outcome });
    this.tallies = { delivered: tally('delivered'), pending: tally('retried'), dead: tally('dead') };
  }

  attempted(status: DeliveryStatus): void {
    this.tallies[status].value++;
  }
}
