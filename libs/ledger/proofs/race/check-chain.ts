import type { Address } from '@paymaster/domain';
import type { Pool } from 'pg';
import type { ModelChain } from '../../src/settlement/testing/model-chain';
import type { RaceFinding } from './watch-limits';

interface SettledRow {
  readonly user_op_hash: string;
  readonly operation: string;
  readonly hold_wei: string;
  readonly charged_wei: string;
}

/** Looks for differences between the books and a chain on which everything is final. */
export async function checkChain(pool: Pool, chain: ModelChain): Promise<readonly RaceFinding[]> {
  return [...(await compareOperations(pool, chain)), ...(await compareWallets(pool, chain))];
}

/**
 * Every operation of the chain has exactly one settled row with the same numbers, and there are no other settled rows.
 */
async function compareOperations(pool: Pool, chain: ModelChain): Promise<readonly RaceFinding[]> {
  const findings: RaceFinding[] = [];
  const { rows } = await pool.query<SettledRow>(
    `SELECT r.user_op_hash, r.hold_wei, r.charged_wei,
            concat_ws(' ', w.contract, w.wallet, r.entry_point, r.sender, r.nonce, r.charged_wei, r.actual_gas_cost_wei,
                      r.success, r.block_number, r.block_hash) AS operation
       FROM ledger.reservations r JOIN ledger.wallets w ON w.id = r.wallet_id WHERE r.state = 'settled'`,
  );
  const settled = new Map<string, SettledRow>();
  for (const row of rows) {
    if (settled.has(row.user_op_hash)) findings.push({ what: row.user_op_hash, found: 'settled twice' });
    settled.set(row.user_op_hash, row);
    if (BigInt(row.charged_wei) > BigInt(row.hold_wei)) {
      findings.push({ what: row.user_op_hash, found: `${row.charged_wei} wei with a hold of ${row.hold_wei}` });
    }
  }
  for (const [hash, operation] of operationsOf(chain)) {
    const found = settled.get(hash)?.operation;
    if (found !== operation) findings.push({ what: `${hash}: ${operation}`, found: String(found) });
    settled.delete(hash);
  }
  return [...findings, ...[...settled.keys()].map((hash) => ({ what: hash, found: 'settled, and not on the chain' }))];
}

function operationsOf(chain: ModelChain): ReadonlyMap<string, string> {
  const operations = new Map<string, string>();
  for (let number = chain.genesis.number; number <= chain.head.number; number++) {
    const { block, events } = chain.blockAt(number)!;
    for (const event of events) {
      if (event.kind !== 'operation') continue;
      const { contract, wallet, entryPoint, sender, nonce, chargedWei, actualGasCostWei, success } = event;
      operations.set(
        event.userOpHash,
        [contract, wallet, entryPoint, sender, nonce, chargedWei, actualGasCostWei, success ? 't' : 'f', number]
          .concat(block.hash)
          .join(' '),
      );
    }
  }
  return operations;
}

async function compareWallets(pool: Pool, chain: ModelChain): Promise<readonly RaceFinding[]> {
  const { rows } = await pool.query<Record<'contract' | 'wallet' | 'balance' | 'requested', string>>(
    'SELECT contract, wallet, balance_wei AS balance, requested_wei AS requested FROM ledger.wallets',
  );
  const compared = rows.map(({ contract, wallet, balance, requested }) => {
    const { balanceWei, requestedWei } = chain.wallet({ contract: contract as Address, wallet: wallet as Address });
    return {
      what: `${contract} ${wallet} with ${balanceWei} and ${requestedWei} asked back`,
      found: `${balance} and ${requested}`,
      agrees: `${balance} ${requested}` === `${balanceWei} ${requestedWei}`,
    };
  });
  const findings = compared.filter(({ agrees }) => !agrees).map(({ what, found }) => ({ what, found }));
  if (rows.length === chain.accounts.length) return findings;
  return [...findings, { what: `${chain.accounts.length} wallets on the chain`, found: `${rows.length} in the books` }];
}
