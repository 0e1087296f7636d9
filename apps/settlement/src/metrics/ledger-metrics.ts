import { Injectable } from '@nestjs/common';
import { Metrics } from '@paymaster/nest-kit';
import { Counter, Gauge } from 'prom-client';

const CHAIN = ['chain'] as const;

/** The metrics of settlement. The operator's alerts are made of them. */
@Injectable()
export class LedgerMetrics {
  readonly nodeHead = this.gauge('node_head_block', 'Newest block that the chain is known to have', CHAIN);
  readonly head = this.gauge('head_block', 'Newest block in the books', CHAIN);
  readonly final = this.gauge('final_block', 'Newest block in the books that will not be undone', CHAIN);
  readonly headTime = this.gauge('head_timestamp_seconds', 'Time of the newest block in the books, unix', CHAIN);
  readonly lag = this.gauge('lag_seconds', 'Age of the newest block in the books when last looked', CHAIN);
  readonly leader = this.gauge('leader', '1 while this process settles the chain', CHAIN);
  readonly halted = this.gauge('halted', '1 while the chain is halted: nothing is reserved on it', CHAIN);
  readonly reorgs = this.counter('reorgs_total', 'Times that blocks were undone', CHAIN);
  readonly undoneBlocks = this.counter('undone_blocks_total', 'Blocks that were undone', CHAIN);
  readonly faults = this.counter('step_faults_total', 'Looks at a chain that failed', CHAIN);
  readonly findings = this.counter(
    'unexpected_operations_total',
    'Operations that landed without a reservation, or for more than was held',
    CHAIN,
  );
  readonly mismatches = this.gauge(
    'reconciliation_mismatches',
    'Differences between books and chain when last compared',
    CHAIN,
  );
  readonly reconciledAt = this.gauge(
    'reconciliation_timestamp_seconds',
    'When books and chain were last compared, unix',
    CHAIN,
  );
  readonly contractChange = this.gauge(
    'contract_change_timestamp_seconds',
    "When a contract's owner last added a signer or stated what is left of unsettled precharges, unix",
    ['chain', 'event'],
  );
  readonly unsettled = this.gauge(
    'unsettled_precharge_wei',
    "What contracts keep of wallets for operations whose postOp was undone, until the contract's owner states the rest",
    CHAIN,
  );
  readonly bookFindings = this.gauge('books_findings', 'Differences between entries and balances when last verified');
  readonly unpublished = this.gauge('outbox_unpublished', 'Events that are not in the stream yet');
  readonly published = this.counter('outbox_published_total', 'Events that the stream acknowledged');
  readonly droppedRefusals = this.counter(
    'outbox_dropped_refusals_total',
    'Refusals, and what bundlers did, that were not sent because the stream was nearly full',
  );
  readonly rebuilds = this.counter('stream_rebuilds_total', 'Times that the stream was filled again from Postgres');

  /** By chain and event; unix time. */
  private readonly changedAt = new Map<string, number>();

  constructor(private readonly metrics: Metrics) {}

  /** Notes that a block of that time has such an event. A time before the newest noted time changes nothing. */
  saw({ chain, event, timeSeconds }: { chain: string; event: string; timeSeconds: number }): void {
    const key = `${chain} ${event}`;
    const newest = Math.max(this.changedAt.get(key) ?? 0, timeSeconds);
    this.changedAt.set(key, newest);
    this.contractChange.set({ chain, event }, newest);
  }

  private gauge<T extends string>(name: string, help: string, labelNames: readonly T[] = []): Gauge<T> {
    return new Gauge({
      name: `settlement_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.metrics.registry],
    });
  }

  private counter<T extends string>(name: string, help: string, labelNames: readonly T[] = []): Counter<T> {
    return new Counter({
      name: `settlement_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.metrics.registry],
    });
  }
}
