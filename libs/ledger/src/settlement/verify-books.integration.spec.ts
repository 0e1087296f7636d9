import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { openBooksUnderTest, type BooksUnderTest } from './testing/books-under-test';
import { Simulation } from './testing/simulation';
import { verifyBooks } from './verify-books';

let postgres: TestDatabase;
let under: BooksUnderTest;
beforeAll(async () => {
  postgres = await openDatabase();
  under = await openBooksUnderTest(postgres.url);
  await new Simulation(under, { seed: Number(process.env['TEST_SEED']), rounds: 40 }).run();
});
afterAll(async () => {
  await under.stop();
  await postgres.stop();
});

const first = (rows: string) => `(SELECT min(id) FROM ledger.${rows})`;

describe('verifyBooks', () => {
  it('finds nothing in books that nobody tampered with', async () => {
    expect(await under.books.verifyBooks()).toEqual([]);
  });

  it('brings no more than 1,000 differences of a kind, however many there are', async () => {
    const client = await under.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`INSERT INTO ledger.wallets (chain_id, contract, wallet, balance_wei)
        SELECT 1, '0x' || repeat('c0', 20), '0x' || lpad(to_hex(n), 40, '0'), 5 FROM generate_series(1, 1500) AS n`);
      expect(await verifyBooks(client)).toHaveLength(1_000);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it.each([
    ['a balance', `UPDATE ledger.wallets SET balance_wei = balance_wei + 1 WHERE id = ${first('wallets')}`],
    ['what a wallet holds', `UPDATE ledger.wallets SET held_wei = held_wei + 1 WHERE id = ${first('wallets')}`],
    [
      'what a budget reserved',
      `UPDATE ledger.budgets SET limit_amount = 1e9, reserved = reserved + 1 WHERE id = ${first('budgets')}`,
    ],
    [
      'what a budget spent',
      `UPDATE ledger.budgets SET limit_amount = 1e9, spent = spent + 1 WHERE id = ${first('budgets WHERE NOT live')}`,
    ],
    [
      'an entry of a wallet',
      `UPDATE ledger.entries SET amount = amount + 1 WHERE id = ${first('entries WHERE wallet_id IS NOT NULL')}`,
    ],
    [
      'an entry of a budget',
      `UPDATE ledger.entries SET amount = amount + 1 WHERE id = ${first(`entries WHERE budget_id IS NOT NULL AND credit = 'spent'`)}`,
    ],
    [
      'the state of a reservation',
      `UPDATE ledger.reservations SET state = 'open', void_reason = NULL, closed_at = NULL WHERE id = ${first(`reservations WHERE state = 'voided'`)}`,
    ],
    [
      'a charge',
      `UPDATE ledger.reservations SET charged_wei = charged_wei + 1 WHERE id = ${first(`reservations WHERE state = 'settled'`)}`,
    ],
    [
      'the reservation of a hold',
      `UPDATE ledger.holds SET reservation_id = 0 WHERE reservation_id = ${first(`reservations WHERE state = 'voided'`)} AND budget_id = (SELECT min(budget_id) FROM ledger.holds WHERE reservation_id = ${first(`reservations WHERE state = 'voided'`)})`,
    ],
    [
      'the wallet of an entry',
      `UPDATE ledger.entries SET wallet_id = 0 WHERE id = ${first('entries WHERE wallet_id IS NOT NULL')}`,
    ],
    [
      'the budget of an entry',
      `UPDATE ledger.entries SET budget_id = 0 WHERE id = ${first('entries WHERE budget_id IS NOT NULL')}`,
    ],
    [
      'the reservation of an entry',
      `UPDATE ledger.entries SET reservation_id = 0 WHERE id = ${first('entries WHERE reservation_id IS NOT NULL')}`,
    ],
  ])('finds that somebody changed %s', async (_what, tampering) => {
    const client = await under.pool.connect();
    try {
      // A trigger guards entries. The owner of the database can bypass it in this way.
      await client.query('BEGIN; SET LOCAL session_replication_role = replica');
      const { rowCount } = await client.query(tampering);
      expect(rowCount).toBe(1);
      expect((await verifyBooks(client)).length).toBeGreaterThan(0);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});
