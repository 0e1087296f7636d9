import type { LedgerCursor } from './ledger';
import { LATE_SECONDS } from '../schema/reserve.sql';
import { CachedLoader } from './cached-loader';
import type { Database } from './database';

/**
 * Whether settlement is late, as `ledger.reserve_for_clients` decides it: then caps with `liftsWhenLate` do not count what
 * is only held.
 *
 * @param headTimeSeconds time of the newest block that the gateway knows
 */
export function isSettlementLate(cursor: LedgerCursor | undefined, headTimeSeconds: number): boolean {
  if (cursor === undefined) return false;
  const isFresh = cursor.checkedSecondsAgo !== undefined && cursor.checkedSecondsAgo < LATE_SECONDS;
  return !isFresh && cursor.headTimeSeconds + LATE_SECONDS < headTimeSeconds;
}

const READ = {
  name: 'ledger-cursors',
  text: `SELECT k.head_time, k.halted_reason, extract(epoch FROM clock_timestamp() - k.checked_at) AS checked_ago
           FROM unnest($1::bigint[]) WITH ORDINALITY p(chain_id, n) LEFT JOIN ledger.cursors k USING (chain_id)
          ORDER BY p.n`,
};

interface Row {
  /** Null for a chain without books. */
  readonly head_time: string | null;
  readonly halted_reason: string | null;
  /** Null if settlement has never checked it. */
  readonly checked_ago: string | null;
}

/** How far the books of chains go, at most a second old. */
export class CursorReader {
  private readonly rows: CachedLoader<number, Row>;

  constructor(database: Database, clock: () => number) {
    this.rows = new CachedLoader({
      keyOf: (chainId) => String(chainId),
      load: (chainIds) => database.query<Row>({ ...READ, values: [chainIds] }),
      maxAgeMs: 1_000,
      clock,
    });
  }

  /** @throws {DependencyUnavailableError} `database` */
  async cursor(chainId: number): Promise<LedgerCursor | undefined> {
    const { head_time, halted_reason, checked_ago } = await this.rows.get(chainId);
    if (head_time === null) return undefined;
    return {
      headTimeSeconds: Number(head_time),
      haltedReason: halted_reason,
      ...(checked_ago !== null && { checkedSecondsAgo: Math.floor(Number(checked_ago)) }),
    };
  }
}
