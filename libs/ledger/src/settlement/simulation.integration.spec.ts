import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { CHAIN_ID, openBooksUnderTest, type BooksUnderTest } from './testing/books-under-test';
import { accountKey } from './testing/model-chain';
import { Simulation } from './testing/simulation';

const SEED = Number(process.env['TEST_SEED']);
const ROUNDS = Number(process.env['SETTLEMENT_ROUNDS'] ?? 100);

let postgres: TestDatabase;
let under: BooksUnderTest;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => (under = await openBooksUnderTest(postgres.url)));
afterEach(() => under.stop());

const rows = async (sql: string) => (await under.pool.query(sql)).rows;

/** Each reservation with its events. */
const TOLD = `
  SELECT r.id, r.state, count(*) FILTER (WHERE o.kind = 'landed')::int AS landed,
    count(*) FILTER (WHERE o.kind = 'unlanded')::int AS unlanded,
    count(*) FILTER (WHERE o.kind = 'settled')::int AS settled, count(*) FILTER (WHERE o.kind = 'voided')::int AS voided
  FROM ledger.reservations AS r LEFT JOIN ledger.outbox AS o ON o.payload ->> 'reservationId' = r.id::text
  WHERE r.paymaster_id IS NOT NULL GROUP BY r.id`;

/** How much of a settled hold becomes spent, by docs/architecture/ledger.md. */
const WRONGLY_SPENT = `
  SELECT h.* FROM ledger.holds AS h JOIN ledger.budgets AS b ON b.id = h.budget_id
  JOIN ledger.reservations AS r ON r.id = h.reservation_id AND r.state = 'settled'
  WHERE h.spent IS DISTINCT FROM least(h.amount, CASE WHEN b.live THEN 0 WHEN h.unit = 'count' THEN 1
    WHEN h.unit = 'wei' THEN r.charged_wei ELSE ceil(r.charged_wei * h.micro_usd_per_native / 1000000000000000000) END)`;

describe.each([
  { title: 'when no reservation is ever lost', losesReservations: false, seed: SEED },
  { title: 'with another seed', losesReservations: false, seed: SEED + 1 },
  { title: 'when operations land whose reservations were lost', losesReservations: true, seed: SEED + 2 },
])('after random deposits, operations, reorgs and leaders, $title', ({ losesReservations, seed }) => {
  it('the ledger equals the chain', async () => {
    const least = { granted: ROUNDS / 2, refused: 10, landed: ROUNDS / 4, reorgs: 3, late: 3, leaders: 2 };
    const simulation = new Simulation(under, { seed, rounds: ROUNDS, least, losesReservations });
    await simulation.run();
    const { chain } = simulation;

    const balances = await under.books.finalBalances(CHAIN_ID);
    expect(Object.fromEntries(balances.map((each) => [accountKey(each), each.balanceWei]))).toEqual(
      Object.fromEntries(balances.map((each) => [accountKey(each), chain.wallet(each).balanceWei])),
    );
    expect(balances.map(accountKey).sort()).toEqual(expect.arrayContaining([...chain.accounts].sort()));
    const wallets = await rows('SELECT * FROM ledger.wallets');
    for (const { contract, wallet, requested_wei, held_wei, spendable_wei } of wallets) {
      const { requestedWei, balanceWei } = chain.wallet({ contract, wallet });
      expect(BigInt(requested_wei)).toBe(requestedWei);
      expect(BigInt(spendable_wei)).toBe(balanceWei > requestedWei ? balanceWei - requestedWei : 0n);
      expect(held_wei).toBe('0');
    }

    const settled = await rows(`SELECT user_op_hash, charged_wei FROM ledger.reservations WHERE state = 'settled'`);
    expect(settled).toHaveLength(chain.costs().size);
    expect(new Map(settled.map((row) => [row.user_op_hash, BigInt(row.charged_wei)]))).toEqual(chain.costs());
    expect(await rows(`SELECT * FROM ledger.reservations WHERE closed_at IS NULL`)).toEqual([]);

    expect(await under.books.verifyBooks()).toEqual([]);
    expect(await rows(`SELECT * FROM ledger.budgets WHERE reserved <> 0 OR spent > limit_amount`)).toEqual([]);
    expect(await rows(WRONGLY_SPENT)).toEqual([]);
    for (const told of await rows(TOLD)) {
      const isSettled = Number(told.state === 'settled');
      expect(told).toMatchObject({ landed: told.unlanded + isSettled, settled: isSettled, voided: 1 - isSettled });
    }
    const [outcomes] = await rows(`SELECT sum(landed)::int AS landed FROM ledger.outcomes`);
    const [ours] = await rows(
      `SELECT count(*)::int AS landed FROM ledger.reservations WHERE state = 'settled' AND paymaster_id IS NOT NULL`,
    );
    expect(outcomes).toEqual(ours);
    expect(under.findings.length > 0).toBe(losesReservations);
    expect(simulation.missing()).toEqual([]);
  });
});
