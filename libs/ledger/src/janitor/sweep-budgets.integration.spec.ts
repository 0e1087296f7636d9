import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
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
import type { PostgresLedger } from '../gateway/postgres-ledger';
import { sweepBudgets } from './sweep-budgets';

const account = { chainId: 1, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;
const NOW = Math.floor(Date.now() / 1_000);
const DAY = 86_400;

let postgres: TestDatabase;
let database: LedgerDatabase;
let ledgers: PostgresLedger[];
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: 1 });
  await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
  ledgers = [1, 2].map(() => openLedger({ databaseUrl: database.url, ...UNHURRIED }));
});
afterEach(async () => {
  for (const ledger of ledgers) await ledger.close();
  await database.drop();
});

const count = async (table: string) =>
  (await database.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ledger.${table}`)).rows[0]!.n;
const keys = async () =>
  (await database.pool.query<{ key: string }>('SELECT key FROM ledger.budgets ORDER BY key')).rows.map(
    ({ key }) => key,
  );

describe('sweepBudgets', () => {
  it('forgets caps with nothing live and windows that ended long ago, and nothing else', async () => {
    const [ledger] = ledgers as [PostgresLedger];
    const endedLongAgo = NOW - 91 * DAY;
    const claims = [
      aBudgetClaim({ key: 'live/idle', live: true }),
      aBudgetClaim({ key: 'old', endsAtSeconds: endedLongAgo }),
      aBudgetClaim({ key: 'recent', endsAtSeconds: NOW - 89 * DAY }),
      aBudgetClaim({ key: 'lifetime' }),
    ];
    await ledger.reserve(aReserveRequest({ ...account, claims }));
    // Closes the reservation as settlement does.
    await database.pool.query(`UPDATE ledger.budgets SET reserved = 0, spent = CASE WHEN live THEN 0 ELSE 1 END`);
    const open = [
      aBudgetClaim({ key: 'live/busy', live: true }),
      aBudgetClaim({ key: 'old/busy', endsAtSeconds: endedLongAgo }),
    ];
    await ledger.reserve(aReserveRequest({ ...account, claims: open }));

    expect(await sweepBudgets(database.pool, { pageSize: 1 })).toEqual({ live: 1, ended: 1 });
    expect(await keys()).toEqual(['lifetime', 'live/busy', 'old/busy', 'recent']);
    const { rows } = await database.pool.query(
      `SELECT count(*)::int AS orphans FROM ledger.entries WHERE budget_id IS NOT NULL AND budget_id NOT IN (SELECT id FROM ledger.budgets)`,
    );
    expect(rows).toEqual([{ orphans: 0 }]);
    expect(await count('holds')).toBe(5);
  });

  it('does not wait for a reservation, and leaves it the budgets that it holds', async () => {
    const claims = [aBudgetClaim({ key: 'live/held', live: true }), aBudgetClaim({ key: 'live/free', live: true })];
    await ledgers[0]!.reserve(aReserveRequest({ ...account, claims }));
    await closeEverything();
    const reserving = await database.pool.connect();
    await reserving.query(`BEGIN; SELECT FROM ledger.budgets WHERE key = 'live/held' FOR NO KEY UPDATE`);
    expect(await sweepBudgets(database.pool)).toEqual({ live: 1, ended: 0 });
    expect(await keys()).toEqual(['live/held']);
    await reserving.query('COMMIT');
    reserving.release();
    expect(await sweepBudgets(database.pool)).toEqual({ live: 1, ended: 0 });
  });

  it('never takes a budget from under a reservation', async () => {
    const claims = [
      aBudgetClaim({ key: 'live/a', live: true, limit: 10_000n }),
      aBudgetClaim({ key: 'live/b', live: true, limit: 10_000n }),
    ];
    let isOver = false;
    let swept = 0;
    let heldWithoutBudget = 0;
    const sweeps = (async () => {
      while (!isOver) {
        swept += (await sweepBudgets(database.pool)).live;
        heldWithoutBudget += await openHoldsWithoutBudget();
        await closeEverything();
      }
    })();
    try {
      for (let round = 1; round <= 60; round++) {
        // A sweep may delete the budgets before the answer of their reservation is here.
        const sweptBefore = swept;
        await Promise.all(ledgers.map((ledger) => ledger.reserve(aReserveRequest({ ...account, claims }))));
        // While reservations run, every budget is locked and the sweep finds none. So the reservations pause now and
        // then.
        if (round % 10 === 0) await until(() => swept > sweptBefore);
      }
    } finally {
      isOver = true;
      await sweeps;
    }
    expect(heldWithoutBudget).toBe(0);
    await closeEverything();
    await sweepBudgets(database.pool);
    expect(await count('budgets')).toBe(0);
  });
});

async function openHoldsWithoutBudget(): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ledger.holds h JOIN ledger.reservations r ON r.id = h.reservation_id AND r.closed_at IS NULL
       LEFT JOIN ledger.budgets b ON b.id = h.budget_id WHERE b.id IS NULL`,
  );
  return rows[0]!.n;
}

/** Closes all reservations as settlement does: under the wallet's lock, like all work on reservations. */
async function closeEverything(): Promise<void> {
  await database.pool.query(
    `BEGIN;
     SELECT FROM ledger.wallets FOR NO KEY UPDATE;
     WITH closed AS (UPDATE ledger.reservations SET state = 'voided', void_reason = 'expired', closed_at = now()
       WHERE closed_at IS NULL RETURNING id)
     UPDATE ledger.budgets b SET reserved = b.reserved - h.amount
       FROM (SELECT budget_id, sum(amount) AS amount FROM ledger.holds WHERE reservation_id IN (SELECT id FROM closed) GROUP BY 1) h
      WHERE b.id = h.budget_id;
     COMMIT`,
  );
}
