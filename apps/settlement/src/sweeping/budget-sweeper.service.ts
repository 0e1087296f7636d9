import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { sweepBudgets, type SweepResult } from '@paymaster/ledger';
import { Pool } from 'pg';
import { repeat } from '../following/repeat';

const INTERVAL_MS = 300_000;

/**
 * Deletes budgets that are not needed any more, from time to time. Every process does this, because a sweep skips
 * locked rows and two sweeps do not disturb each other.
 */
@Injectable()
export class BudgetSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(BudgetSweeper.name);
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();

  constructor(private readonly pool: Pool) {}

  onApplicationBootstrap(): void {
    this.loop = repeat({
      step: async () => {
        await this.sweep();
        return false;
      },
      pauseMs: () => INTERVAL_MS,
      onFault: (error) => this.logger.warn({ problem: String(error) }, 'budgets could not be swept'),
      signal: this.stopping.signal,
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  async sweep(): Promise<SweepResult> {
    const result = await sweepBudgets(this.pool);
    if (result.live + result.ended > 0) this.logger.log(result, 'budgets were forgotten');
    return result;
  }
}
