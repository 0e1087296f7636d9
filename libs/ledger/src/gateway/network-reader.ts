import { max } from '@paymaster/domain';
import { LATE_SECONDS, REGULAR_DAYS } from '../schema/reserve.sql';
import type { ClientBound } from './batch-values';
import { CachedLoader } from './cached-loader';
import { ClientBoundError } from './client-bound.error';
import type { Database } from './database';
import type { ClientQuestion } from './ledger';

/**
 * Reads the numbers by which `ledger.reserve_for_clients` decides about a client's network. While a chain stands still,
 * the end of the hour is taken from the database's clock, because no request's time is known here.
 */
export const READ_NETWORKS = {
  name: 'ledger-networks',
  text: `SELECT w.spendable_wei, w.spendable_wei - b.landed_wei + b.lost_wei AS whole_wei, k.head_time,
                coalesce(n.held_wei, 0) AS held_wei, coalesce(n.strikes, 0) AS strikes,
                coalesce(n.expected_wei, 0) + coalesce(u.cost_wei, 0) AS cost_wei,
                coalesce(n.excess_wei, 0) + coalesce(u.excess_wei, 0) AS excess_wei,
                coalesce(a.expected_wei, 0) + coalesce(o.cost_wei, 0) AS new_wei, coalesce(a.held_wei, 0) AS strangers_wei,
                (SELECT count(*)::integer FROM ledger.network_days d
                  WHERE d.wallet_id = w.id AND d.network = p.network AND d.landed > 0
                    AND d.day >= t.time / 86400 - 7 AND d.day < t.time / 86400) AS days,
                EXISTS (SELECT FROM ledger.senders s WHERE s.wallet_id = w.id AND s.sender = p.sender
                           AND s.landed_at > t.time - 604800) AS is_known,
                k.checked_at > clock_timestamp() - interval '${LATE_SECONDS} seconds' AS is_fresh,
                v.hold_wei, v.expected_wei, v.excess_wei AS own_excess_wei, v.network = p.network AS is_same,
                v.is_counted, v.is_new_network, v.is_stranger
           FROM unnest($1::bigint[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::numeric[], $7::text[])
                WITH ORDINALITY p(chain_id, contract, wallet, paymaster_id, sender, nonce, network, n)
           LEFT JOIN ledger.wallets w USING (chain_id, contract, wallet)
           LEFT JOIN ledger.cursors k USING (chain_id)
          CROSS JOIN LATERAL (
                SELECT greatest(k.head_time, CASE WHEN k.checked_at > clock_timestamp() - interval '10 minutes'
                         THEN extract(epoch FROM clock_timestamp())::bigint END) AS time) t
          CROSS JOIN LATERAL (
                SELECT coalesce(sum(e.landed_wei), 0) AS landed_wei,
                       coalesce(sum((SELECT sum(l.lost_wei) FROM ledger.losses l WHERE l.wallet_id = e.wallet_id
                            AND l.paymaster_id = e.paymaster_id AND l.minute >= t.time / 60 - 60)), 0) AS lost_wei
                  FROM ledger.brakes e WHERE e.wallet_id = w.id) b
           LEFT JOIN ledger.networks n ON n.wallet_id = w.id AND n.network = p.network
           LEFT JOIN ledger.networks a ON a.wallet_id = w.id AND a.network = ''
           LEFT JOIN LATERAL (
                SELECT sum(x.cost_wei) AS cost_wei, sum(x.excess_wei) AS excess_wei FROM ledger.network_uses x
                 WHERE x.wallet_id = w.id AND x.network = p.network AND x.minute >= t.time / 60 - 60) u ON true
           LEFT JOIN LATERAL (
                SELECT sum(x.cost_wei) AS cost_wei FROM ledger.network_uses x
                 WHERE x.wallet_id = w.id AND x.network = '' AND x.minute >= t.time / 60 - 60) o ON true
           LEFT JOIN LATERAL (
                SELECT hold_wei, coalesce(expected_wei, hold_wei) AS expected_wei, excess_wei, network, is_new_network,
                       is_stranger, is_counted
                  FROM ledger.reservations
                 WHERE wallet_id = w.id AND paymaster_id = p.paymaster_id AND sender = p.sender AND nonce = p.nonce
                   AND closed_at IS NULL AND state = 'open'
                 LIMIT 1) v ON true
          ORDER BY p.n`,
};

type Amount = 'held' | 'cost' | 'excess' | 'new' | 'strangers';
/** Amounts are decimal text. Those of the reservation are null where the operation is not open. */
interface Row extends Readonly<Record<`${Amount}_wei`, string>> {
  /** These two are null for a wallet that never deposited. */
  readonly spendable_wei: string | null;
  readonly whole_wei: string | null;
  readonly head_time: string | null;
  readonly strikes: number;
  readonly days: number;
  readonly is_known: boolean;
  readonly hold_wei: string | null;
  readonly expected_wei: string | null;
  readonly own_excess_wei: string | null;
  readonly is_same: boolean | null;
  readonly is_counted: boolean | null;
  readonly is_fresh: boolean | null;
  readonly is_new_network: boolean | null;
  readonly is_stranger: boolean | null;
}

/** The decision that the bounds on strangers would make; at most a second old. */
export class NetworkReader {
  private readonly rows: CachedLoader<ClientQuestion, Row>;

  constructor(database: Database, clock: () => number) {
    this.rows = new CachedLoader({
      keyOf: ({ chainId, contract, wallet, paymasterId, sender, nonce, client }) =>
        [chainId, contract, wallet, paymasterId, sender, nonce, client.network].join('/'),
      load: (keys) =>
        database.query<Row>({
          ...READ_NETWORKS,
          values: [
            keys.map(({ chainId }) => chainId),
            keys.map(({ contract }) => contract),
            keys.map(({ wallet }) => wallet),
            keys.map(({ paymasterId }) => paymasterId),
            keys.map(({ sender }) => sender),
            keys.map(({ nonce }) => nonce.toString()),
            keys.map(({ client }) => client.network),
          ],
        }),
      maxAgeMs: 1_000,
      clock,
    });
  }

  /**
   * @throws {ClientBoundError} when a reservation would be refused for its client's network
   * @throws {DependencyUnavailableError} `database`
   */
  async assertLeaves(question: ClientQuestion): Promise<void> {
    const row = await this.rows.get(question);
    if (row.spendable_wei === null || row.whole_wei === null) return;
    const reached = reachedBound(row, question, BigInt(row.whole_wei));
    if (reached) throw new ClientBoundError(reached);
  }
}

/** As in `ledger.reserve_for_clients`, in its order. */
function reachedBound(row: Row, { client, headTimeSeconds, ...asked }: ClientQuestion, wholeWei: bigint) {
  const [own, ownOfNetwork] = ownOf(row);
  const holdWei = max(asked.prechargeWei, own.holdWei);
  const expectedWei = max(asked.expectedWei, own.expectedWei);
  const excessWei = max(client.excessWei, own.excessWei);
  const isRaised = [holdWei > own.holdWei, expectedWei > own.expectedWei, excessWei > own.excessWei].includes(true);
  if (row.is_same === false && row.is_counted && !isRaised) return undefined;
  const isLate = row.is_fresh !== true && Number(row.head_time) + LATE_SECONDS < headTimeSeconds;
  const over = (bound: ClientBound, of: { usedWei: bigint; ownWei: bigint; wei: bigint; limitWei: bigint }) => {
    const usedWei = of.usedWei - of.ownWei;
    if (of.wei <= of.ownWei || usedWei + of.wei <= of.limitWei) return undefined;
    return { bound, usedWei, limitWei: of.limitWei };
  };
  const unlessAlone = <T extends { usedWei: bigint }>(reached: T | undefined, isEnough: boolean): T | undefined =>
    isLate || (reached?.usedWei === 0n && isEnough) ? undefined : reached;

  const isOrdinary = expectedWei <= client.ordinaryWei;
  const isNew = row.days === 0;
  const roomWei = min(
    wholeWei / 4n,
    (row.days >= REGULAR_DAYS ? 10n : 1n) *
      max((wholeWei * client.roomMillionths) / 1_000_000n, min(client.leastRoomWei, wholeWei / 10n)),
  );
  const excess = { usedWei: BigInt(row.excess_wei), ownWei: ownOfNetwork.excessWei, wei: excessWei };
  const cost = { usedWei: BigInt(row.cost_wei), ownWei: ownOfNetwork.expectedWei, wei: expectedWei };
  const newcomers = {
    usedWei: BigInt(row.new_wei),
    ownWei: row.is_new_network && row.is_counted ? own.expectedWei : 0n,
    wei: expectedWei,
  };
  const mostExcessWei = max(wholeWei / 100n, min(client.leastRoomWei, wholeWei / 10n) / 3n);
  const held = { usedWei: BigInt(row.held_wei), ownWei: ownOfNetwork.holdWei, wei: holdWei };
  const strangers = {
    usedWei: BigInt(row.strangers_wei),
    ownWei: row.is_stranger && row.is_counted ? own.holdWei : 0n,
    wei: holdWei,
  };
  const inAnHour =
    (client.isOwnAnswer || (excess.usedWei === excess.ownWei && isOrdinary)
      ? undefined
      : over('excess', { ...excess, limitWei: mostExcessWei })) ??
    unlessAlone(over('room', { ...cost, limitWei: roomWei }), isOrdinary) ??
    (isNew ? unlessAlone(over('newcomers', { ...newcomers, limitWei: wholeWei / 4n }), isOrdinary) : undefined);
  if (inAnHour && !client.isTestnet) return inAnHour;
  if (client.holdsFreely) return undefined;
  const mostHeldWei = max(wholeWei / 100n, 5n * client.ordinaryWei) >> BigInt(row.strikes);
  const halfWei = BigInt(row.spendable_wei ?? 0) / 2n;
  return (
    unlessAlone(over('held', { ...held, limitWei: mostHeldWei }), true) ??
    (row.is_known ? undefined : unlessAlone(over('strangers', { ...strangers, limitWei: halfWei }), true))
  );
}

/**
 * The amounts with which the operation counts already, in all and in this network. Once the head is past its validity,
 * only its hold counts.
 */
function ownOf(row: Row) {
  const nothing = { holdWei: 0n, expectedWei: 0n, excessWei: 0n };
  const own = {
    holdWei: BigInt(row.hold_wei ?? 0),
    expectedWei: BigInt(row.expected_wei ?? 0),
    excessWei: BigInt(row.own_excess_wei ?? 0),
  };
  const counted = row.is_counted ? own : { ...nothing, holdWei: own.holdWei };
  return [own, row.is_same ? counted : nothing] as const;
}

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
