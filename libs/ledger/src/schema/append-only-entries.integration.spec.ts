import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { openLedger } from '../gateway/open-ledger';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';

const account = { chainId: 1, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;
const NOW = Math.floor(Date.now() / 1_000);

let postgres: TestDatabase;
let database: LedgerDatabase;
beforeAll(async () => {
  postgres = await openDatabase();
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: 1 });
  await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
  const ledger = openLedger({ databaseUrl: database.url, ...UNHURRIED });
  const claims = [
    aBudgetClaim({ key: 'ended', endsAtSeconds: NOW - 2 }),
    aBudgetClaim({ key: 'ended, in use', endsAtSeconds: NOW - 2 }),
    aBudgetClaim({ key: 'not ended', endsAtSeconds: NOW + 3_600 }),
    aBudgetClaim({ key: 'for good' }),
  ];
  await ledger.reserve(aReserveRequest({ ...account, claims })).finally(() => ledger.close());
  await database.pool.query(`UPDATE ledger.budgets SET reserved = 0, spent = 1 WHERE key <> 'ended, in use'`);
});
afterAll(async () => {
  await database.drop();
  await postgres.stop();
});

const ofBudget = (key: string) => `budget_id = (SELECT id FROM ledger.budgets WHERE key = '${key}')`;
const count = async () =>
  (await database.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM ledger.entries')).rows[0]!.n;

describe('entries', () => {
  it.each([
    ['changed', `UPDATE ledger.entries SET amount = amount + 1 WHERE ${ofBudget('ended')}`, 'entries is append-only'],
    ['truncated', `TRUNCATE ledger.entries`, 'entries is append-only'],
    ['removed together', `DELETE FROM ledger.entries`, /^entry \d+ is kept/],
    ['removed when they are of a wallet', `DELETE FROM ledger.entries WHERE wallet_id IS NOT NULL`, /is kept/],
    ['removed before their window ends', `DELETE FROM ledger.entries WHERE ${ofBudget('not ended')}`, /is kept/],
    ['removed when they have no window', `DELETE FROM ledger.entries WHERE ${ofBudget('for good')}`, /is kept/],
    ['removed while somebody holds', `DELETE FROM ledger.entries WHERE ${ofBudget('ended, in use')}`, /is kept/],
  ])('cannot be %s', async (_what, statement, message) => {
    const before = await count();
    await expect(database.pool.query(statement)).rejects.toThrow(message);
    expect(await count()).toBe(before);
  });

  it('of a window that ended and in which nothing is held can be removed', async () => {
    const before = await count();
    await database.pool.query(`DELETE FROM ledger.entries WHERE ${ofBudget('ended')}`);
    expect(await count()).toBe(before - 1);
  });
});
