import type { PaymasterOperation, WalletAccount } from './ledger';
import { SpendingBrakeError } from './spending-brake.error';
import { CachedLoader } from './cached-loader';
import type { Database } from './database';

/**
 * Reads the numbers by which `ledger.reserve` decides about the brake. While a chain stands still, the end of the hour
 * is taken from the database's clock, because no request's time is known here.
 */
export const READ_BRAKES = {
  name: 'ledger-brakes',
  text: `SELECT w.spendable_wei, w.spendable_wei - a.counted_wei AS left_wei, coalesce(b.expected_wei, 0) AS expected_wei,
                coalesce(b.landed_wei, 0) AS landed_wei, coalesce(l.lost_wei, 0) AS lost_wei,
                coalesce(b.released_ms, 0) AS released_ms, b.stopped_at IS NOT NULL AS is_stopped,
                coalesce(v.expected_wei, 0) AS own_wei
           FROM unnest($1::bigint[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::numeric[])
                WITH ORDINALITY p(chain_id, contract, wallet, paymaster_id, sender, nonce, n)
           LEFT JOIN ledger.wallets w USING (chain_id, contract, wallet)
           LEFT JOIN ledger.cursors k USING (chain_id)
           LEFT JOIN ledger.brakes b ON b.wallet_id = w.id AND b.paymaster_id = p.paymaster_id
          CROSS JOIN LATERAL (
                SELECT coalesce(sum(o.expected_wei + o.landed_wei), 0) AS counted_wei FROM ledger.brakes o
                 WHERE o.wallet_id = w.id) a
           LEFT JOIN LATERAL (
                SELECT sum(o.lost_wei) AS lost_wei FROM ledger.losses o
                 WHERE o.wallet_id = b.wallet_id AND o.paymaster_id = b.paymaster_id
                   AND o.minute >= greatest(k.head_time, CASE WHEN k.checked_at > clock_timestamp() - interval '10 minutes'
                         THEN extract(epoch FROM clock_timestamp())::bigint END) / 60 - 60) l ON true
           LEFT JOIN LATERAL (
                SELECT coalesce(expected_wei, hold_wei) AS expected_wei FROM ledger.reservations
                 WHERE wallet_id = w.id AND paymaster_id = p.paymaster_id AND sender = p.sender AND nonce = p.nonce
                   AND closed_at IS NULL AND state = 'open' AND is_counted
                 LIMIT 1) v ON true
          ORDER BY p.n`,
};

interface Row {
  /** These two are null for a wallet that never deposited. */
  readonly spendable_wei: string | null;
  readonly left_wei: string | null;
  readonly expected_wei: string;
  readonly landed_wei: string;
  readonly lost_wei: string;
  readonly released_ms: string;
  readonly is_stopped: boolean;
  readonly own_wei: string;
}

type Asking = WalletAccount & PaymasterOperation;

/** The decision that the spending brake would make; at most a second old. */
export class BrakeReader {
  private readonly rows: CachedLoader<Asking, Row>;

  constructor(database: Database, clock: () => number) {
    this.rows = new CachedLoader({
      keyOf: ({ chainId, contract, wallet, paymasterId, sender, nonce }) =>
        [chainId, contract, wallet, paymasterId, sender, nonce].join('/'),
      load: (keys) =>
        database.query<Row>({
          ...READ_BRAKES,
          values: [
            keys.map(({ chainId }) => chainId),
            keys.map(({ contract }) => contract),
            keys.map(({ wallet }) => wallet),
            keys.map(({ paymasterId }) => paymasterId),
            keys.map(({ sender }) => sender),
            keys.map(({ nonce }) => nonce.toString()),
          ],
        }),
      maxAgeMs: 1_000,
      clock,
    });
  }

  /**
   * How much the brake leaves, besides what the operation itself counts for; wei. Undefined if the brake does not bound the
   * operation: it is off, or the paymaster holds nothing else and lost nothing. Also undefined if the paymaster lost so
   * much that a refusal has to stop it, because only the ledger's reservation can do that.
   *
   * @param look.neededWei what the operation may cost
   * @param look.isExplained true: refuse also when the ledger would stop the paymaster
   * @throws {SpendingBrakeError} when a reservation would be refused by the brake
   * @throws {DependencyUnavailableError} `database`
   */
  async roomWei(operation: Asking, { neededWei = 0n, isExplained = false } = {}): Promise<bigint | undefined> {
    const { brakeReleasedAtMs } = operation;
    if (brakeReleasedAtMs === undefined) return undefined;
    const look = { brakeReleasedAtMs, neededWei, isExplained };
    try {
      // The amount that all operations of the paymaster share. Only if it is not enough, the operation's own hold can
      // matter.
      return roomOf(await this.rows.get({ ...operation, sender: '0x', nonce: 0n }), look);
    } catch (error) {
      if (!(error instanceof SpendingBrakeError) || !error.room) throw error;
      return roomOf(await this.rows.get(operation), look);
    }
  }
}

interface Look {
  readonly brakeReleasedAtMs: number;
  readonly neededWei: bigint;
  readonly isExplained: boolean;
}

function roomOf(row: Row, { brakeReleasedAtMs, neededWei, isExplained }: Look): bigint | undefined {
  if (row.left_wei === null || row.spendable_wei === null) return undefined;
  const isReleased = brakeReleasedAtMs > Number(row.released_ms);
  if (row.is_stopped && !isReleased) throw new SpendingBrakeError(undefined);
  const lostWei = isReleased ? 0n : BigInt(row.lost_wei);
  const [expectedWei, ownWei, landedWei] = [BigInt(row.expected_wei), BigInt(row.own_wei), BigInt(row.landed_wei)];
  if (lostWei === 0n && expectedWei <= ownWei) return undefined;
  const isStopNext = lostWei > 0n && 4n * lostWei >= BigInt(row.spendable_wei) - landedWei + lostWei;
  if (isStopNext && !isExplained) return undefined;
  const leftWei = BigInt(row.left_wei) - (expectedWei + lostWei);
  const roomWei = leftWei > 0n ? leftWei / 2n : 0n;
  const addedWei = neededWei > ownWei ? neededWei - ownWei : 0n;
  if (addedWei * 2n > leftWei) throw new SpendingBrakeError({ roomWei: roomWei + ownWei, neededWei, lostWei });
  return roomWei;
}
