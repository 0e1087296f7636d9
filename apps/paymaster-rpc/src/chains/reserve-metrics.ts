import { Injectable } from '@nestjs/common';
import { Metrics, type Timing } from '@paymaster/nest-kit';

/** Up to the most reservations in one round trip (`reservation-queue.ts` of libs/ledger). */
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64];

/** The time and the size of each batch of reservations in Postgres. */
@Injectable()
export class ReserveMetrics {
  private readonly seconds: Timing;
  private readonly sizes: Timing;

  constructor(metrics: Metrics) {
    const seconds = { name: 'paymaster_reserve_seconds', help: 'How long Postgres took for a batch of reservations' };
    const sizes = { name: 'paymaster_reserve_batch_size', help: 'Reservations that shared a round trip and a commit' };
    this.seconds = metrics.histogram(seconds).timing();
    this.sizes = metrics.histogram({ ...sizes, bounds: BATCH_SIZES }).timing();
  }

  readonly decided = (size: number, seconds: number): void => {
    this.seconds.observe(seconds);
    this.sizes.observe(size);
  };
}
