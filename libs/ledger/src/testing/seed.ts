import type { Address } from '@paymaster/domain';
import type { Pool } from 'pg';

export interface ChainSeed {
  readonly chainId: number;
  /** Time of the head; now when absent. Unix seconds. */
  readonly headTimeSeconds?: number;
  readonly headNumber?: bigint;
  readonly haltedReason?: string;
}

/** Opens a chain's books, or sets its cursor. Head and final block are the same block. */
export async function seedChain(pool: Pool, chain: ChainSeed): Promise<void> {
  const time = chain.headTimeSeconds ?? Math.floor(Date.now() / 1_000);
  const number = String(chain.headNumber ?? 100n);
  await pool.query(
    `INSERT INTO ledger.cursors (chain_id, token, head_number, head_hash, head_time, final_number, final_hash, final_time, halted_reason)
     VALUES ($1, 1, $2, $3, $4, $2, $3, $4, $5)
     ON CONFLICT (chain_id) DO UPDATE SET (head_number, head_hash, head_time, final_number, final_hash, final_time, halted_reason)
       = ROW (excluded.head_number, excluded.head_hash, excluded.head_time, excluded.final_number, excluded.final_hash, excluded.final_time, excluded.halted_reason)`,
    [chain.chainId, number, `0x${BigInt(number).toString(16).padStart(64, '0')}`, time, chain.haltedReason ?? null],
  );
}

export interface WalletSeed {
  readonly chainId: number;
  /** Lower case. */
  readonly contract: Address;
  /** Lower case. */
  readonly wallet: Address;
  readonly spendableWei: bigint;
}

/** A wallet with a final deposit and consistent books. @returns its id */
export async function seedWallet(pool: Pool, wallet: WalletSeed): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `WITH wallet AS (
       INSERT INTO ledger.wallets (chain_id, contract, wallet, balance_wei, spendable_wei) VALUES ($1, $2, $3, $4, $4)
       RETURNING id, balance_wei
     ), entry AS (
       INSERT INTO ledger.entries (kind, wallet_id, debit, credit, amount)
       SELECT 'deposited', id, 'outside', 'available', balance_wei FROM wallet WHERE balance_wei > 0
     )
     SELECT id FROM wallet`,
    [wallet.chainId, wallet.contract, wallet.wallet, String(wallet.spendableWei)],
  );
  return rows[0]!.id;
}
