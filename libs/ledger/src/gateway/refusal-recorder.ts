import { randomUUID } from 'node:crypto';
import type { RefusedEvent } from '@paymaster/messaging';
import type { Database } from './database';
import { isAboutTheData } from './is-about-the-data';
import { toJson } from './to-json';

export interface RefusalRecorderOptions {
  /** The most refusals per second of one paymaster, because a stranger with its public key can cause refusals. */
  readonly maxPerSecond: number;
  readonly clock: () => number;
}

type Refusal = Omit<RefusedEvent, 'eventId' | 'atMs'>;

interface Row {
  readonly eventId: string;
  readonly refusal: Refusal;
}

const FLUSH_AFTER_MS = 250;
const FLUSH_AT_ROWS = 200;
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
  /** How many were dropped since the start. */
  dropped = 0;
  private buffer: Row[] = [];
  private recent = new Map<string | null, number>();
  private second = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly options: RefusalRecorderOptions,
  ) {}

  record(refusal: Refusal): void {
    if (this.buffer.length >= MAX_BUFFERED || !this.isWithinRate(refusal.paymasterId)) {
      this.dropped++;
      return;
    }
    this.buffer.push({ eventId: randomUUID(), refusal });
    if (this.buffer.length >= FLUSH_AT_ROWS) void this.flush();
    else this.flushLater();
  }

  /** Writes the waiting refusals, and drops those that cannot be written now. */
  async close(): Promise<void> {
    await this.flushing;
    for (let before = Infinity; this.buffer.length > 0 && this.buffer.length < before;) {
      before = this.buffer.length;
      await this.flush();
    }
    clearTimeout(this.timer);
    this.dropped += this.buffer.length;
    this.buffer = [];
  }

  private flush(): Promise<void> {
    this.flushing ??= this.write().finally(() => {
      this.flushing = undefined;
      if (this.buffer.length > 0) this.flushLater();
    });
    return this.flushing;
  }

  private flushLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.flush();
    }, FLUSH_AFTER_MS).unref();
  }

  private async write(): Promise<void> {
    const rows = this.buffer.slice(0, FLUSH_AT_ROWS);
    try {
      await this.insert(rows);
      this.buffer.splice(0, rows.length);
    } catch {
      // `Database` has reported the fault already; the rows wait.
    }
  }

  /**
   * Drops rows that the database refuses, and writes the others. It tries halves until a bad row is alone. That takes
   * at most two statements per row, and few statements if few rows are bad.
   */
  private async insert(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const values = [
      rows.map(({ eventId }) => eventId),
      rows.map(({ refusal }) => refusal.chainId),
      rows.map(({ refusal }) => refusal.paymasterId),
      rows.map(({ refusal }) => toJson(refusal)),
    ];
    try {
      await this.database.query({ ...INSERT, values });
    } catch (error) {
      if (!isAboutTheData(error)) throw error;
      if (rows.length === 1) this.dropped++;
      else for (const half of halves(rows)) await this.insert(half);
    }
  }

  private isWithinRate(paymasterId: string | null): boolean {
    const second = Math.floor(this.options.clock() / 1_000);
    if (second !== this.second) {
      this.second = second;
      this.recent.clear();
    }
    const count = (this.recent.get(paymasterId) ?? 0) + 1;
    this.recent.set(paymasterId, count);
    return count <= this.options.maxPerSecond;
  }
}

function halves(rows: readonly Row[]): readonly (readonly Row[])[] {
  const middle = Math.ceil(rows.length / 2);
  return [rows.slice(0, middle), rows.slice(middle)];
}
