import { randomUUID } from 'node:crypto';
import type { RefusedEvent } from '@paymaster/messaging';
import { BackgroundRows } from './background-rows';
import type { Database } from './database';
import { toJson } from './to-json';

export interface RefusalRecorderOptions {
  /** {@link MAX_PER_SECOND} by default. */
  readonly maxPerSecond?: number;
  readonly clock: () => number;
}

type Refusal = Omit<RefusedEvent, 'eventId' | 'atMs'>;

interface Row {
  readonly eventId: string;
  readonly refusal: Refusal;
}

/** The most refusals per second of one paymaster, because a stranger with its public key can cause refusals. */
const MAX_PER_SECOND = 20;
const BATCH = 200;
/** The most refusals that wait while the database is down. */
const MAX_BUFFERED = 2_000;

/** The id is made here, so that a flush with an unknown outcome can be repeated. */
const INSERT = {
  name: 'ledger-refusals',
  text: `INSERT INTO ledger.outbox (event_id, kind, chain_id, paymaster_id, payload)
         SELECT event_id, 'refused', chain_id, paymaster_id, payload
           FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::jsonb[]) p(event_id, chain_id, paymaster_id, payload)
         ON CONFLICT (event_id) WHERE kind <> 'granted' DO NOTHING`,
};

/**
 * Writes refusals to the outbox in the background, so that requests do not wait. Refusals above the bounds are dropped
 * and counted.
 */
export class RefusalRecorder {
  private readonly rows: BackgroundRows<Row>;
  private tooMany = 0;
  private recent = new Map<string | null, number>();
  private second = 0;

  constructor(
    database: Pick<Database, 'query'>,
    private readonly options: RefusalRecorderOptions,
  ) {
    const insert = (rows: readonly Row[]) =>
      database.query({
        ...INSERT,
        values: [
          rows.map(({ eventId }) => eventId),
          rows.map(({ refusal }) => refusal.chainId),
          rows.map(({ refusal }) => refusal.paymasterId),
          rows.map(({ refusal }) => toJson(refusal)),
        ],
      });
    this.rows = new BackgroundRows({ insert, batch: BATCH, most: { rows: MAX_BUFFERED } });
  }

  /** How many were dropped since the start. */
  get dropped(): number {
    return this.tooMany + this.rows.dropped;
  }

  record(refusal: Refusal): void {
    if (this.isWithinRate(refusal.paymasterId)) this.rows.add({ eventId: randomUUID(), refusal });
    else this.tooMany++;
  }

  /** Writes the waiting refusals, and drops those that cannot be written now. */
  close(): Promise<void> {
    return this.rows.close();
  }

  private isWithinRate(paymasterId: string | null): boolean {
    const second = Math.floor(this.options.clock() / 1_000);
    if (second !== this.second) {
      this.second = second;
      this.recent.clear();
    }
    const count = (this.recent.get(paymasterId) ?? 0) + 1;
    this.recent.set(paymasterId, count);
    return count <= (this.options.maxPerSecond ?? MAX_PER_SECOND);
  }
}
