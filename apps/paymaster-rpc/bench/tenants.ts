import type { Address, Hex } from '@paymaster/domain';
import { apiKeyIndex } from '@paymaster/messaging';
import type { Pool } from 'pg';

/** Paymasters to be put into a database, each with contracts, a policy and a wallet. */
export interface Tenants {
  readonly count: number;
  /** Each with four whitelisted methods; the first is the one that operations call. */
  readonly contractsEach: number;
  readonly chainId: number;
  /** The paymaster contract that their wallets have deposited in. */
  readonly contract: Address;
  readonly demo: { readonly address: Address; readonly selector: Hex };
  readonly indexKey: string;
  readonly say: (line: string) => void;
}

/** The most that one account may register. */
const PER_ACCOUNT = 200;
/** Rows of one statement. */
const BATCH = 20_000;
const SPENDABLE_WEI = 10n ** 24n;

const ABI = JSON.stringify(
  ['mint', 'burn', 'move', 'count'].map((name) => ({
    ...{ type: 'function', name, stateMutability: 'nonpayable' },
    ...{ inputs: [{ name: 'amount', type: 'uint256' }], outputs: [] },
  })),
);
/** Operations a day for each sender, wei a month for all: two budgets of every reservation, never used up. */
const POLICY = JSON.stringify({
  priority: 0,
  limits: [
    { scope: 'USER', measure: 'COUNT', amount: '1000000', cycle: 'DAY' },
    { scope: 'PAYMASTER', measure: 'WEI', amount: String(SPENDABLE_WEI), cycle: 'MONTH' },
  ],
});

/** The API key of a tenant, from 0. */
export function apiKeyOfTenant(index: number): string {
  return `${index.toString(36).padStart(9, '0')}.00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
}

/** As {@link fillTenants} derives it. */
const uuid = (kind: string): string => `md5('${kind}/' || n)::uuid`;

/**
 * Fills the real, migrated schemas of dashboard and ledger: every row passes the tables' own constraints and indexes.
 * Keys are as random as real ones; ciphertexts of keys, which no request reads, are filler of the right length.
 */
export async function fillTenants(pool: Pool, tenants: Tenants): Promise<void> {
  await Promise.all([fillDashboard(pool, tenants), fillWallets(pool, tenants)]);
  await pool.query('VACUUM ANALYZE');
  await pool.query('CHECKPOINT');
}

async function fillDashboard(pool: Pool, tenants: Tenants): Promise<void> {
  const { count, contractsEach, chainId, demo, indexKey, say } = tenants;
  await pool.query(
    `INSERT INTO dashboard.accounts (id, name)
     SELECT ${uuid('account')}, 'account ' || n FROM generate_series(0, ($1::int - 1) / ${PER_ACCOUNT}) n`,
    [count],
  );
  await inBatches(tenants, 'paymasters', async (first, size) => {
    const keys = Array.from({ length: size }, (_, at) => apiKeyIndex(apiKeyOfTenant(first + at), indexKey));
    await pool.query(
      `INSERT INTO dashboard.paymasters
         (id, account_id, name, chain_id, type, paymaster_version, api_key_index, api_key_ciphertext, funding_wallet,
          settings_sponsor_any_contract, settings_sponsor_native_transfers, settings_sponsor_deployments,
          settings_allow_unknown_factories, settings_require_known_accounts, settings_on_refusal,
          settings_explain_to_clients, settings_max_expiry_seconds, settings_allowed_origins,
          settings_max_live_signatures_per_sender, settings_max_live_signatures_per_client,
          settings_max_live_signatures_total, settings_client_share_percent)
       SELECT ${uuid('paymaster')}, md5('account/' || n / ${PER_ACCOUNT})::uuid, 'paymaster ' || n, $3, 'HYBRID', '1.0.0',
              key, encode(sha512(key::bytea), 'base64'), '0x' || lpad(to_hex(n + 1), 40, '0'),
              false, false, 'withCall', false, false, 'error', true, 600, '{*}', 1000, 1000000, 1000000, 100
         FROM (SELECT $1::bigint + at - 1 AS n, key FROM unnest($2::text[]) WITH ORDINALITY _(key, at)) made`,
      [first, keys, chainId],
    );
  });
  for (let at = 0; at < contractsEach; at++) {
    const address = at === 0 ? `'${demo.address}'` : `'0x' || md5('${at}/' || n) || 'c0c0c0c0'`;
    await inBatches(tenants, `contracts (${at + 1} of ${contractsEach})`, (first, size) =>
      pool.query(
        `INSERT INTO dashboard.smart_contracts
           (id, paymaster_id, name, address, abi, methods, whitelisted_methods, selectors)
         SELECT ${uuid(`contract ${at}`)}, ${uuid('paymaster')}, 'contract ${at}', ${address}, $3,
                '{mint,burn,move,count}', '{mint,burn,move,count}',
                ARRAY[$4, '0x' || left(md5('a' || n), 8), '0x' || left(md5('b' || n), 8), '0x' || left(md5('c' || n), 8)]
           FROM generate_series($1::bigint, $1::bigint + $2 - 1) n`,
        [first, size, ABI, demo.selector],
      ),
    );
  }
  await inBatches(tenants, 'policies', (first, size) =>
    pool.query(
      `INSERT INTO dashboard.policies (id, paymaster_id, created_by, name, policy_type, active, policy_data)
       SELECT ${uuid('policy')}, ${uuid('paymaster')}, md5('account/' || n / ${PER_ACCOUNT})::uuid,
              'budget', 'RULES', true, $3::json
         FROM generate_series($1::bigint, $1::bigint + $2 - 1) n`,
      [first, size, POLICY],
    ),
  );
  // One each, none of which anybody sends: the table that every look-up of an unknown key reads too.
  await inBatches(tenants, 'former API keys', (first, size) =>
    pool.query(
      `INSERT INTO dashboard.former_api_keys (api_key_index, paymaster_id, api_key_ciphertext, valid_until)
       SELECT md5('former a/' || n) || md5('former b/' || n), ${uuid('paymaster')}, 'filler', now() + interval '1 day'
         FROM generate_series($1::bigint, $1::bigint + $2 - 1) n`,
      [first, size],
    ),
  );
  say(`${count} paymasters are there, with ${contractsEach} contracts and one policy each`);
}

/** A wallet for each, with the entry of its deposit. */
async function fillWallets(pool: Pool, tenants: Tenants): Promise<void> {
  await inBatches(tenants, 'wallets', (first, size) =>
    pool.query(
      `WITH made AS (
         INSERT INTO ledger.wallets (chain_id, contract, wallet, balance_wei, spendable_wei)
         SELECT $3, $4, '0x' || lpad(to_hex(n + 1), 40, '0'), $5, $5
           FROM generate_series($1::bigint, $1::bigint + $2 - 1) n
         RETURNING id, balance_wei)
       INSERT INTO ledger.entries (kind, wallet_id, debit, credit, amount)
       SELECT 'deposited', id, 'outside', 'available', balance_wei FROM made`,
      [first, size, tenants.chainId, tenants.contract, String(SPENDABLE_WEI)],
    ),
  );
}

async function inBatches(
  { count, say }: Tenants,
  what: string,
  insert: (first: number, size: number) => Promise<unknown>,
): Promise<void> {
  const startedAtMs = performance.now();
  for (let first = 0; first < count; first += BATCH) await insert(first, Math.min(BATCH, count - first));
  if (count > BATCH) say(`  ${count} ${what}: ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`);
}

/** Reservations of earlier, with their holds, budgets, entries and events: as many rows as the ledger of a busy month. */
export async function fillLedger(pool: Pool, { rows, chainId }: { rows: number; chainId: number }): Promise<void> {
  const paymaster = `md5('paymaster/' || r.wallet_id % 1000)::uuid`;
  for (const statement of [
    `INSERT INTO ledger.reservations (wallet_id, chain_id, entry_point, entry_point_version, paymaster_id, mode, sender,
       nonce, hold_wei, valid_until, state, closed_at, user_op_hash, charged_wei)
     SELECT w.id, ${chainId}, w.contract, '0.6', md5('paymaster/' || w.id % 1000)::uuid, 'sponsored', w.wallet, w.id, 1, 1,
            CASE WHEN w.id % 10 = 0 THEN 'open' ELSE 'settled' END, CASE WHEN w.id % 10 = 0 THEN NULL ELSE now() END,
            CASE WHEN w.id % 10 = 0 THEN NULL ELSE 'old ' || w.id END, CASE WHEN w.id % 10 = 0 THEN NULL ELSE 1 END
       FROM ledger.wallets w ORDER BY w.id LIMIT ${rows}`,
    `INSERT INTO ledger.budgets (key, paymaster_id, live, limit_amount, policy_version)
     SELECT 'old/' || md5(r.id::text), ${paymaster}, false, 10, 1 FROM ledger.reservations r`,
    `INSERT INTO ledger.holds (reservation_id, budget_id, unit, amount)
     SELECT r.id, b.id, 'wei', 1 FROM ledger.reservations r JOIN ledger.budgets b ON b.key = 'old/' || md5(r.id::text)`,
    `INSERT INTO ledger.entries (kind, wallet_id, reservation_id, debit, credit, amount)
     SELECT 'reserved', r.wallet_id, r.id, 'available', 'reserved', 1 FROM ledger.reservations r`,
    `INSERT INTO ledger.outcomes (paymaster_id, chain_id, minute, landed)
     SELECT ${paymaster}, ${chainId}, r.id, 1 FROM ledger.reservations r`,
    `INSERT INTO ledger.outbox (kind, chain_id, paymaster_id, payload, published_at)
     SELECT 'granted', ${chainId}, ${paymaster}, '{}', now() FROM ledger.reservations r`,
    `INSERT INTO dashboard.operations (id, paymaster_id, chain_id, state, mode, sender, nonce, entry_point_version,
       created_at, updated_at)
     SELECT md5('operation/' || r.id)::uuid, ${paymaster}, ${chainId}, 'settled', 'sponsored', r.sender, r.nonce, '0.6',
            now() - r.id * interval '1 minute', now() FROM ledger.reservations r`,
    'VACUUM ANALYZE',
  ])
    await pool.query(statement);
}
