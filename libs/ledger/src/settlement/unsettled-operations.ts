import type { Address, EntryPointVersion, Hex } from '@paymaster/domain';
import type { Queries } from './database';
import type { UnsettledOperation } from './settlement-books';

/** Of each wallet's account in a contract. Far more than an owner leaves unstated. */
const NEWEST_OF_WALLET = 200;

interface Row {
  readonly contract: Address;
  readonly wallet: Address;
  readonly user_op_hash: Hex;
  readonly transaction_hash: Hex;
  readonly entry_point: Address;
  readonly entry_point_version: EntryPointVersion;
  readonly sender: Address;
  readonly nonce: string;
  readonly block_number: string;
  readonly charged_wei: string;
  readonly actual_gas_cost_wei: string;
}

/**
 * Final operations that were signed for `batchApproval` and whose `postOp` was undone (then no event names a token);
 * the newest of each wallet first, at most 200 of each.
 */
export async function unsettledOperations(
  queries: Queries,
  { chainId }: { chainId: number },
): Promise<readonly UnsettledOperation[]> {
  const { rows } = await queries.query<Row>(
    `SELECT * FROM (
       SELECT w.id AS wallet_id, w.contract, w.wallet, r.user_op_hash, r.transaction_hash, r.entry_point,
              r.entry_point_version, r.sender, r.nonce, r.block_number, r.log_index, r.charged_wei,
              r.actual_gas_cost_wei,
              row_number() OVER (PARTITION BY w.id ORDER BY r.block_number DESC, r.log_index DESC) AS place
         FROM ledger.unpaid_operations u
         JOIN ledger.reservations r ON r.id = u.reservation_id AND r.state = 'settled'
         JOIN ledger.wallets w ON w.id = r.wallet_id
        WHERE u.chain_id = $1 AND u.budgets IS NULL) unsettled
      WHERE place <= $2 ORDER BY wallet_id, place`,
    [chainId, NEWEST_OF_WALLET],
  );
  return rows.map((row) => ({
    contract: row.contract,
    wallet: row.wallet,
    userOpHash: row.user_op_hash,
    transactionHash: row.transaction_hash,
    entryPoint: row.entry_point,
    entryPointVersion: row.entry_point_version,
    sender: row.sender,
    nonce: BigInt(row.nonce),
    blockNumber: BigInt(row.block_number),
    chargedWei: BigInt(row.charged_wei),
    actualGasCostWei: BigInt(row.actual_gas_cost_wei),
  }));
}
