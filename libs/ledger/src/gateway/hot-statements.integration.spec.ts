import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { Client } from 'pg';
import { aBudgetClaim, aReserveRequest, createLedgerDatabase, seedChain, type LedgerDatabase } from '../testing';
import { batchValues } from './batch-values';
import { exposureClaims } from './exposure-claims';
import { READ_OUTCOMES } from './outcome-reader';
import { OPEN_NONCES, PEEK } from './postgres-ledger';
import { RESERVE } from './reservation-queue';
import { READ_WALLETS, READ_WALLETS_FOR_OPERATIONS } from './wallet-reader';

const ROWS = 20_000;
const CHAIN = 31337;
const hex = (index: number) => `0x${String(index).padStart(40, '0')}` as const;
const PAYMASTER = '00000000-0000-4000-8000-000000000001';

let postgres: TestDatabase;
let database: LedgerDatabase;
let client: Client;
const plans: string[] = [];
beforeAll(async () => {
  postgres = await openDatabase();
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: CHAIN });
  await database.pool.query(`
    INSERT INTO ledger.wallets (chain_id, contract, wallet, balance_wei, spendable_wei)
    SELECT ${CHAIN}, '${hex(0)}', '0x' || lpad(i::text, 40, '0'), 1000000, 1000000 FROM generate_series(1, ${ROWS}) i;
    INSERT INTO ledger.budgets (key, paymaster_id, live, limit_amount, policy_version)
    SELECT 'budget/' || i, '${PAYMASTER}', false, 10, 1 FROM generate_series(1, ${ROWS}) i;
    INSERT INTO ledger.reservations (wallet_id, chain_id, entry_point, entry_point_version, paymaster_id, mode, sender, nonce, hold_wei, valid_until, state)
    SELECT id, ${CHAIN}, '${hex(0)}', '0.7', '${PAYMASTER}', 'sponsored', wallet, id, 1, 1, 'open' FROM ledger.wallets;
    INSERT INTO ledger.holds (reservation_id, budget_id, unit, amount) SELECT id, id, 'wei', 1 FROM ledger.reservations;
    INSERT INTO ledger.entries (kind, wallet_id, reservation_id, debit, credit, amount)
    SELECT 'reserved', wallet_id, id, 'available', 'reserved', 1 FROM ledger.reservations;
    INSERT INTO ledger.outcomes (paymaster_id, chain_id, minute, landed) SELECT ('00000000-0000-4000-8000-' || lpad((i % 1000)::text, 12, '0'))::uuid, ${CHAIN}, i / 1000, 1 FROM generate_series(1, ${ROWS}) i;
    ANALYZE;`);
  client = new Client({ connectionString: database.url });
  await client.connect();
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
    SET auto_explain.log_verbose = on; SET client_min_messages = log`);
});
afterAll(async () => {
  await client.end();
  await database.drop();
  await postgres.stop();
});
beforeEach(() => plans.splice(0));

/** Tables that a plan reads without an index condition. Cursors do not count: there is one row per chain. */
function wholeTables(plan: string): string[] {
  const nodes = plan
    .split('->')
    .filter((node) => /(?<!Function )Scan( using \w+)? on ledger\./.test(node) && !/(Index|Recheck) Cond/.test(node));
  return nodes.filter((node) => !node.includes('ledger.cursors'));
}

/** A new operation, one whose hold is raised while its limit changes, and one that may not pay, beside one that landed. */
function aBatch() {
  const of = (index: number) => ({
    chainId: CHAIN,
    contract: hex(0),
    wallet: hex(index),
    paymasterId: PAYMASTER,
    sender: hex(index),
  });
  const exposedClaims = (exposed: ReturnType<typeof of>) =>
    exposureClaims({ ...exposed, token: hex(0), prechargeWei: 1n, tokenCapWei: 9n, senderCapWei: 9n });
  const claims = (index: number) => [aBudgetClaim({ key: `budget/${index}`, limit: 9n }), aBudgetClaim()];
  return batchValues(
    [
      aReserveRequest({ ...of(5), claims: claims(5) }),
      aReserveRequest({ ...of(6), nonce: 6n, prechargeWei: 2n, claims: claims(6) }),
      aReserveRequest({ ...of(7), claims: [aBudgetClaim({ amount: 100n })] }),
      aReserveRequest({ ...of(8), claims: exposedClaims(of(8)), landedNonces: [8n] }),
    ],
    600,
  );
}

it.each([
  ['reserving', RESERVE.text, aBatch, 21],
  [
    'reading wallets',
    READ_WALLETS.text,
    () => [
      [CHAIN, CHAIN],
      [hex(0), hex(0)],
      [hex(8), hex(9)],
    ],
    1,
  ],
  ['reading outcomes', READ_OUTCOMES.text, () => [[PAYMASTER], [CHAIN], [90]], 1],
  [
    'reading wallets for operations',
    READ_WALLETS_FOR_OPERATIONS.text,
    () => [
      [CHAIN, CHAIN],
      [hex(0), hex(0)],
      [hex(8), hex(9)],
      [PAYMASTER, PAYMASTER],
      [hex(8), hex(9)],
      ['8', '9'],
    ],
    1,
  ],
  ['open nonces', OPEN_NONCES.text, () => [CHAIN, hex(0), hex(8), PAYMASTER, hex(8), '9'], 1],
  ['peeking', PEEK.text, () => [['budget/8', 'budget/9'], CHAIN, hex(0), hex(8), PAYMASTER, hex(8), '8'], 1],
])('%s reads no whole table of 20,000 rows', async (_what, text, values, atLeast) => {
  // By the seventh execution Postgres has settled on its plan.
  for (let time = 0; time < 7; time++) {
    plans.splice(0);
    await client.query({ name: _what, text, values: values() as unknown[] });
  }
  expect(plans.length).toBeGreaterThanOrEqual(atLeast);
  expect(plans.filter((plan) => wholeTables(plan).length > 0)).toEqual([]);
});

it('what an account has left unpaid is looked for among its operations of that chain only', async () => {
  await client.query({ text: RESERVE.text, values: [...aBatch()] });
  const unpaid = plans.filter((plan) => plan.includes('sum(h.amount)') && plan.includes('unpaid_operations'));
  expect(unpaid).toHaveLength(1);
  expect(unpaid[0]).toMatch(/Filter: .*chain_id/);
});
