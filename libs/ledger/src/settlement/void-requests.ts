import type { Address } from '@paymaster/domain';
import { isSameBlock, requireCursor } from './cursors';
import type { Queries } from './database';
import { walletChanges, writeEvents } from './outbox-writer';
import type { BlockRef, Lease, WithdrawalRequest } from './settlement-books';
import { findWalletIds, lockWallets, recomputeSpendable, saveWallets } from './wallet-rows';

/**
 * Wallets of a contract whose withdrawal request may be void at the final block: its window for execution is over, or
 * its due time is not known. Requests without a known due time come last, so that a stranger with many requests cannot
 * delay those of others.
 */
export async function requestsToAsk(
  queries: Queries,
  asked: { chainId: number; contract: Address; dueBeforeSeconds: number; limit: number },
): Promise<readonly Address[]> {
  const { rows } = await queries.query<{ wallet: Address }>(
    `SELECT wallet FROM ledger.wallets
     WHERE chain_id = $1 AND contract = $2 AND requested_wei > 0
       AND (request_due_at IS NULL OR request_due_at <= $3)
     ORDER BY request_due_at NULLS LAST LIMIT $4`,
    [asked.chainId, asked.contract, asked.dueBeforeSeconds, asked.limit],
  );
  return rows.map(({ wallet }) => wallet);
}

/**
 * Notes when requests are due. Void requests no longer count, because no block after the final block can execute them.
 * Does nothing if another block has become final since the contract was asked.
 */
export async function noteRequests(
  queries: Queries,
  {
    lease,
    block,
    contract,
    requests,
  }: { lease: Lease; block: BlockRef; contract: Address; requests: readonly WithdrawalRequest[] },
): Promise<void> {
  const { chainId } = lease;
  const { final } = await requireCursor(queries, chainId);
  if (!isSameBlock(final, block)) return;
  const accounts = requests.map(({ wallet }) => ({ contract, wallet }));
  const wallets = [...(await lockWallets(queries, await findWalletIds(queries, { chainId, accounts }))).values()];
  const ended = new Set(requests.filter(({ isVoid }) => isVoid).map(({ wallet }) => wallet));
  const freed = wallets.filter(({ wallet }) => ended.has(wallet));
  for (const wallet of freed) wallet.requestedWei = 0n;
  await recomputeSpendable(queries, { chainId, wallets: freed, finalNumber: final.number });
  await saveWallets(queries, freed);
  await queries.query(
    `UPDATE ledger.wallets AS w SET request_due_at = n.due_at
     FROM unnest($3::text[], $4::bigint[]) AS n (wallet, due_at)
     WHERE w.chain_id = $1 AND w.contract = $2 AND w.wallet = n.wallet`,
    [chainId, contract, requests.map(({ wallet }) => wallet), requests.map(({ dueAtSeconds }) => dueAtSeconds)],
  );
  await writeEvents(queries, walletChanges(freed, { chainId, block, is: 'final' }));
}
