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

/** Deposits, returns, requests and withdrawals of final blocks; charges are settled with their reservations. */
export async function applyFinalEvents(
  queries: Queries,
  { events, wallets }: { readonly events: readonly EventRow[]; readonly wallets: LockedWallets },
): Promise<void> {
  for (const event of events) {
    const wallet = wallets.get(event.wallet_id ?? '');
    if (!wallet) continue;
    const amountWei = BigInt(event.amount_wei ?? 0);
    switch (event.kind) {
      case 'deposited':
      case 'returned':
        wallet.balanceWei += amountWei;
        break;
      case 'withdrawalRequested':
        wallet.requestedWei = amountWei;
        break;
      case 'withdrawalCancelled':
        wallet.requestedWei = 0n;
        break;
      case 'withdrawalExecuted':
        wallet.requestedWei = 0n;
        wallet.balanceWei -= amountWei;
        break;
      case 'operation':
      case 'nonceUsed':
        break;
    }
  }
  await enterMoves(queries, events);
}

async function enterMoves(queries: Queries, events: readonly EventRow[]): Promise<void> {
  const moves = events.filter(({ kind }) => ['deposited', 'returned', 'withdrawalExecuted'].includes(kind));
  if (moves.length === 0) return;
  await queries.query(
    `INSERT INTO ledger.entries (kind, wallet_id, debit, credit, amount, block_number)
     SELECT m.kind, m.wallet_id,
       CASE m.kind WHEN 'withdrawalExecuted' THEN 'available' ELSE 'outside' END,
       CASE m.kind WHEN 'withdrawalExecuted' THEN 'outside' ELSE 'available' END, m.amount, m.block_number
     FROM unnest($1::text[], $2::bigint[], $3::numeric[], $4::bigint[]) AS m (kind, wallet_id, amount, block_number)
     WHERE m.amount > 0`,
    [
      moves.map(({ kind }) => kind),
      moves.map(({ wallet_id }) => wallet_id),
      moves.map(({ amount_wei }) => amount_wei),
      moves.map(({ block_number }) => block_number),
    ],
  );
}
