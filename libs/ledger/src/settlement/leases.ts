import type { Database, Queries } from './database';
import { LeaseLostError, type Lease } from './settlement-books';

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Decides which process may write for a chain. All times are the database's, so a wrong clock of a pod changes nothing.
 */
export class Leases {
  constructor(private readonly database: Database) {}

  async acquire(request: { chainId: number; holder: string; ttlMs: number }): Promise<Lease | undefined> {
    const { chainId, holder, ttlMs } = request;
    // Read first, so that standbys do not queue for the row that the leader locks in every transaction.
    const current = await this.current(chainId);
    if (current && current.holder !== holder && current.isLive) return undefined;
    try {
      const taken = await this.database.write((queries) =>
        queries.query<{ token: string }>(
          `INSERT INTO ledger.leases AS lease (chain_id, holder, token, expires_at)
           VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
           ON CONFLICT (chain_id) DO UPDATE SET
             holder = $2,
             token = lease.token + (lease.holder <> $2)::int,
             expires_at = clock_timestamp() + $3 * interval '1 millisecond'
           WHERE lease.holder = $2 OR lease.expires_at <= clock_timestamp()
           RETURNING token`,
          [chainId, holder, ttlMs],
        ),
      );
      return taken.rows[0] && { chainId, token: BigInt(taken.rows[0].token) };
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      // Another transaction has the row locked, so nobody can have taken the lease meanwhile: if it was ours, it still
      // is.
      return current?.holder === holder ? { chainId, token: current.token } : undefined;
    }
  }

  async release({ chainId, token }: Lease, holder: string): Promise<void> {
    await this.database.write((queries) =>
      queries.query(
        `UPDATE ledger.leases SET expires_at = clock_timestamp() WHERE chain_id = $1 AND token = $2 AND holder = $3`,
        [chainId, token, holder],
      ),
    );
  }

  private async current(chainId: number): Promise<{ holder: string; token: bigint; isLive: boolean } | undefined> {
    const { rows } = await this.database.read((queries) =>
      queries.query<{ holder: string; token: string; is_live: boolean }>(
        `SELECT holder, token, expires_at > clock_timestamp() AS is_live FROM ledger.leases WHERE chain_id = $1`,
        [chainId],
      ),
    );
    const [row] = rows;
    return row && { holder: row.holder, token: BigInt(row.token), isLive: row.is_live };
  }
}

/**
 * The first statement of every write. It locks the lease, so no process can get a higher token until this transaction
 * ends.
 *
 * @throws {LeaseLostError} when another process has a higher token
 */
export async function lockLease(queries: Queries, { chainId, token }: Lease): Promise<void> {
  const { rows } = await queries.query<{ token: string }>(
    `SELECT token FROM ledger.leases WHERE chain_id = $1 FOR UPDATE`,
    [chainId],
  );
  if (rows[0] && BigInt(rows[0].token) === token) return;
  throw new LeaseLostError(`Chain ${chainId} is settled by somebody else now: token ${token} is not the newest.`);
}
