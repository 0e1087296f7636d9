import type { RefusedEvent } from '@paymaster/messaging';
import type { BudgetClaim, BudgetUse, Ledger, LedgerCursor, ReserveRequest, WalletAccount } from '../ledger';
import { assertReservable } from './assert-reservable';
import type { CursorReader } from './cursor-reader';
import type { Database } from './database';
import type { OutcomeReader } from './outcome-reader';
import type { RefusalRecorder } from './refusal-recorder';
import type { ReservationQueue } from './reservation-queue';
import type { WalletReader } from './wallet-reader';

export const PEEK = {
  name: 'ledger-peek',
  text: `SELECT b.key, b.reserved + b.spent AS used FROM unnest($1::text[]) p(key) JOIN ledger.budgets b USING (key)`,
};

interface Parts {
  readonly database: Database;
  readonly queue: ReservationQueue;
  readonly wallets: WalletReader;
  readonly cursors: CursorReader;
  readonly outcomes: OutcomeReader;
  readonly refusals: RefusalRecorder;
}

/** The ledger of one gateway process. Make it with `openLedger`. */
export class PostgresLedger implements Ledger {
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly parts: Parts) {}

  async reserve(request: ReserveRequest): Promise<string> {
    assertReservable(request);
    const reserved = this.parts.queue.add(request);
    this.running.add(reserved);
    try {
      return await reserved;
    } finally {
      this.running.delete(reserved);
    }
  }

  availableWei(account: WalletAccount): Promise<bigint> {
    return this.parts.wallets.availableWei(account);
  }

  cursor(chainId: number): Promise<LedgerCursor | undefined> {
    return this.parts.cursors.cursor(chainId);
  }

  async peek(claims: readonly BudgetClaim[]): Promise<readonly BudgetUse[]> {
    const keys = claims.map(({ key }) => key);
    const rows =
      keys.length === 0
        ? []
        : await this.parts.database.query<{ key: string; used: string }>({ ...PEEK, values: [keys] });
    const used = new Map(rows.map((row) => [row.key, BigInt(row.used)]));
    return claims.map(({ key, limit, endsAtSeconds = null }) => ({
      key,
      usedAmount: used.get(key) ?? 0n,
      limit,
      endsAtSeconds,
    }));
  }

  outcomes(query: { paymasterId: string; chainId: number; sinceSeconds: number }): ReturnType<Ledger['outcomes']> {
    return this.parts.outcomes.outcomes(query);
  }

  recordRefusal(event: Omit<RefusedEvent, 'eventId' | 'atMs'>): void {
    this.parts.refusals.record(event);
  }

  /** Refusals that were not recorded since the start: a metric. */
  get droppedRefusals(): number {
    return this.parts.refusals.dropped;
  }

  isUp(): boolean {
    return this.parts.database.isUp();
  }

  /** Waits for what is under way and writes the refusals that are left. */
  async close(): Promise<void> {
    await Promise.allSettled(this.running);
    await this.parts.refusals.close();
    await this.parts.database.close();
  }
}
