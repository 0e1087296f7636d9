import { Injectable } from '@nestjs/common';
import { Metrics, type Tally } from '@paymaster/nest-kit';
import type { DeliveryStatus } from './webhook';

type Kind = 'event' | 'alert';

/** What became of attempts to tell event webhooks, and people by alerts: delivered, to be tried again, or given up. */
@Injectable()
export class DeliveryMetrics {
  private readonly tallies: Readonly<Record<Kind, Readonly<Record<DeliveryStatus, Tally>>>>;

  constructor(metrics: Metrics) {
    const deliveries = metrics.counter({
      name: 'paymaster_webhook_deliveries_total',
      help: 'Attempts to deliver a webhook, by what became of them',
      labelNames: ['kind', 'outcome'],
    });
    const ofKind = (kind: Kind) => {
      const tally = (outcome: string) => deliveries.tally({ kind, outcome });
      return { delivered: tally('delivered'), pending: tally('retried'), dead: tally('dead') };
    };
    this.tallies = { event: ofKind('event'), alert: ofKind('alert') };
  }

  attempted(kind: Kind, status: DeliveryStatus): void {
    this.tallies[kind][status].value++;
  }
}
