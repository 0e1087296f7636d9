import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { openLedger } from '@paymaster/ledger';
import { openSettlementBooks } from '@paymaster/ledger/settlement';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '@paymaster/ledger/testing';
import { BudgetSweeper } from './budget-sweeper.service';

const account = { chainId: 1, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;

let postgres: TestDatabase;
let database: LedgerDatabase;
let sweeper: BudgetSweeper;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await createLedgerDatabase(postgres.url);
  sweeper = new BudgetSweeper(database.pool);
});
afterEach(async () => {
  await sweeper.beforeApplicationShutdown();
  await database.drop();
});

it('a sweep forgets caps that nothing is live under, and the books stay right', async () => {
  const { pool, url } = database;
  await seedChain(pool, { chainId: 1 });
  await seedWallet(pool, { ...account, spendableWei: 10n ** 18n });
  const ledger = openLedger({ databaseUrl: url, ...UNHURRIED });
  const request = aReserveRequest({ ...account, claims: [aBudgetClaim({ key: 'live', live: true })] });
  await ledger.reserve(request).finally(() => ledger.close());
  const countBudgets = async () => (await pool.query('SELECT 1 FROM ledger.budgets')).rows.length;

  expect(await sweeper.sweep()).toEqual({ live: 0, ended: 0 });
  // Closes the reservation as settlement does.
  await pool.query('UPDATE ledger.budgets SET reserved = 0');
  await pool.query(`UPDATE ledger.reservations SET state = 'voided', void_reason = 'expired', closed_at = now()`);
  sweeper.onApplicationBootstrap();
  await until(async () => (await countBudgets()) === 0);

  const books = openSettlementBooks({ pool });
  const findings = await books.verifyBooks();
  expect(findings.filter(({ what }) => what.includes('hold of') || what.includes('entry'))).toEqual([]);
});
