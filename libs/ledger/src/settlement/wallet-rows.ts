import type { Address } from '@paymaster/domain';
import type { Queries } from './database';
import { spendableWei, type WalkedEvent } from './spendable-wei';

/** A wallet's row while this transaction holds its lock; changed in memory, written once by {@link saveWallets}. */
export interface LockedWallet {
  readonly id: string;
  readonly contract: Address;
  readonly wallet: Address;
  /** The spendable amount when the row was locked. */
  readonly previousSpendableWei: bigint;
  balanceWei: bigint;
  requestedWei: bigint;
  spendableWei: bigint;
  heldWei: bigint;
}

export type LockedWallets = ReadonlyMap<string, LockedWallet>;

interface WalletRow {
  readonly id: string;
  readonly contract: Address;
  readonly wallet: Address;
  readonly balance_wei: string;
  readonly requested_wei: string;
  readonly spendable_wei: string;
  readonly held_wei: string;
}

/** A wallet as a map's key, within one chain. */
export const walletKey = ({ contract, wallet }: { contract: Address; wallet: Address }): string =>
  `${contract} ${wallet}`;

/** Makes the missing rows of wallets. */
export async function createWallets(
  queries: Queries,
  { chainId, accounts }: { chainId: number; accounts: readonly { contract: Address; wallet: Address }[] },
): Promise<void> {
  await queries.query(
    `INSERT INTO ledger.wallets (chain_id, contract, wallet)
     SELECT $1, named.contract, named.wallet
     FROM (SELECT DISTINCT contract, wallet FROM unnest($2::text[], $3::text[]) AS t (contract, wallet)) AS named
     WHERE NOT EXISTS (SELECT FROM ledger.wallets AS w
                       WHERE w.chain_id = $1 AND w.contract = named.contract AND w.wallet = named.wallet)
     ORDER BY named.contract, named.wallet
     ON CONFLICT DO NOTHING`,
    [chainId, accounts.map(({ contract }) => contract), accounts.map(({ wallet }) => wallet)],
  );
}

/** Ids of wallets that exist, without a lock. */
export async function findWalletIds(
  queries: Queries,
  { chainId, accounts }: { chainId: number; accounts: readonly { contract: Address; wallet: Address }[] },
): Promise<readonly string[]> {
  const { rows } = await queries.query<{ id: string }>(
    `SELECT w.id
     FROM (SELECT DISTINCT contract, wallet FROM unnest($2::text[], $3::text[]) AS t (contract, wallet)) AS named
     JOIN ledger.wallets AS w ON w.chain_id = $1 AND w.contract = named.contract AND w.wallet = named.wallet`,
    [chainId, accounts.map(({ contract }) => contract), accounts.map(({ wallet }) => wallet)],
  );
  return rows.map(({ id }) => id);
}

/** Locks wallets in order of id, as all code does. While a wallet is locked, nothing can be reserved of it. */
export async function lockWallets(queries: Queries, ids: readonly string[]): Promise<LockedWallets> {
  if (ids.length === 0) return new Map();
  const { rows } = await queries.query<WalletRow>(
    `SELECT id, contract, wallet, balance_wei, requested_wei, spendable_wei, held_wei
     FROM ledger.wallets WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        contract: row.contract,
        wallet: row.wallet,
        previousSpendableWei: BigInt(row.spendable_wei),
        balanceWei: BigInt(row.balance_wei),
        requestedWei: BigInt(row.requested_wei),
        spendableWei: BigInt(row.spendable_wei),
        heldWei: BigInt(row.held_wei),
      },
    ]),
  );
}

/** Computes the spendable amount of these wallets again, from the events after the final block. */
export async function recomputeSpendable(
  queries: Queries,
  { chainId, wallets, finalNumber }: { chainId: number; wallets: readonly LockedWallet[]; finalNumber: bigint },
): Promise<void> {
  if (wallets.length === 0) return;
  const { rows } = await queries.query<{ wallet_id: string; kind: string; walk_wei: string }>(
    `SELECT wallet_id, kind, walk_wei FROM ledger.chain_events
     WHERE walk_wei IS NOT NULL AND wallet_id = ANY($1) AND chain_id = $2 AND block_number > $3
     ORDER BY wallet_id, block_number, log_index`,
    [wallets.map(({ id }) => id), chainId, finalNumber],
  );
  const walks = new Map<string, WalkedEvent[]>();
  for (const row of rows) {
    const kind = row.kind === 'operation' ? 'charge' : (row.kind as 'withdrawalRequested' | 'withdrawalExecuted');
    const walk = walks.get(row.wallet_id) ?? [];
    walk.push({ kind, amountWei: BigInt(row.walk_wei) });
    walks.set(row.wallet_id, walk);
  }
  for (const wallet of wallets) {
    wallet.spendableWei = spendableWei({ ...wallet, events: walks.get(wallet.id) ?? [] });
  }
}

/** Writes locked wallets back. */
export async function saveWallets(queries: Queries, wallets: readonly LockedWallet[]): Promise<void> {
  if (wallets.length === 0) return;
  await queries.query(
    `UPDATE ledger.wallets AS w
     SET balance_wei = n.balance, requested_wei = n.requested, spendable_wei = n.spendable, held_wei = n.held
     FROM unnest($1::bigint[], $2::numeric[], $3::numeric[], $4::numeric[], $5::numeric[])
       AS n (id, balance, requested, spendable, held)
     WHERE w.id = n.id`,
    [
      wallets.map(({ id }) => id),
      wallets.map(({ balanceWei }) => balanceWei),
      wallets.map(({ requestedWei }) => requestedWei),
      wallets.map(({ spendableWei }) => spendableWei),
      wallets.map(({ heldWei }) => heldWei),
    ],
  );
}
