import type { ChainEvent } from '@paymaster/domain';
import type { Queries } from './database';
import type { LockedWallets } from './wallet-rows';

/** An event of an applied block, as it is stored. */
export interface EventRow {
  readonly kind: ChainEvent['kind'];
  readonly wallet_id: string | null;
  readonly block_number: string;
  readonly amount_wei: string | null;
}

const IN = { debit: 'outside', credit: 'available' } as const;
const OUT = { debit: 'available', credit: 'outside' } as const;

/** What a final event does to its wallet. */
interface Effect {
  /** The entry of the event's amount. The wallet's balance changes as the entry says. */
  readonly entry?: typeof IN | typeof OUT;
  /** What is asked to be withdrawn after the event. */
  readonly requested?: 'amount' | 'nothing';
}

const EFFECTS: Readonly<Record<ChainEvent['kind'], Effect>> = {
  deposited: { entry: IN },
  returned: { entry: IN },
  withdrawalRequested: { requested: 'amount' },
  withdrawalCancelled: { requested: 'nothing' },
  withdrawalExecuted: { entry: OUT, requested: 'nothing' },
  operation: {},
  nonceUsed: {},
};

/** Events of the blocks above `after` and up to `upTo`, in the chain's order. */
export async function readEvents(
  queries: Queries,
  { chainId, after, upTo }: { chainId: number; after: bigint; upTo: bigint },
): Promise<readonly EventRow[]> {
  const { rows } = await queries.query<EventRow>(
    `SELECT kind, wallet_id, block_number, payload ->> 'amountWei' AS amount_wei FROM ledger.chain_events
     WHERE chain_id = $1 AND block_number > $2 AND block_number <= $3 ORDER BY block_number, log_index`,
    [chainId, after, upTo],
  );
  return rows;
}

/**
 * Applies deposits, returns, requests and withdrawals of final blocks to the wallets. Charges are not applied here:
 * `closeReservations` books them.
 */
export async function applyFinalEvents(
  queries: Queries,
  { events, wallets }: { readonly events: readonly EventRow[]; readonly wallets: LockedWallets },
): Promise<void> {
  for (const event of events) {
    const wallet = wallets.get(event.wallet_id ?? '');
    if (!wallet) continue;
    const amountWei = BigInt(event.amount_wei ?? 0);
    const { entry, requested } = EFFECTS[event.kind];
    if (entry) wallet.balanceWei += entry === IN ? amountWei : -amountWei;
    if (requested) wallet.requestedWei = requested === 'amount' ? amountWei : 0n;
  }
  await enterMoves(queries, events);
}

async function enterMoves(queries: Queries, events: readonly EventRow[]): Promise<void> {
  const moves = events.flatMap((event) => {
    const { entry } = EFFECTS[event.kind];
    return entry ? [{ ...event, ...entry }] : [];
  });
  if (moves.length === 0) return;
  await queries.query(
    `INSERT INTO ledger.entries (kind, wallet_id, debit, credit, amount, block_number)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::numeric[], $6::bigint[])
       AS m (kind, wallet_id, debit, credit, amount, block_number)
     WHERE m.amount > 0`,
    [
      moves.map(({ kind }) => kind),
      moves.map(({ wallet_id }) => wallet_id),
      moves.map(({ debit }) => debit),
      moves.map(({ credit }) => credit),
      moves.map(({ amount_wei }) => amount_wei),
      moves.map(({ block_number }) => block_number),
    ],
  );
}
