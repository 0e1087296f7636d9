import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { openLedger } from './open-ledger';
import type { Ledger } from './ledger';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';

const account = { chainId: 31337, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;

let postgres: TestDatabase;
let database: LedgerDatabase;
let gateways: Ledger[];
beforeAll(async () => {
  postgres = await openDatabase();
  database = await createLedgerDatabase(postgres.url);
  gateways = Array.from({ length: 8 }, () =>
    openLedger({ databaseUrl: database.url, ...UNHURRIED, deadlineMs: 200_000 }),
  );
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await database.drop();
  await postgres.stop();
});

describe('a budget for exactly 137 operations', () => {
  it('grants exactly 137 to 8 gateways with 500 requests each', async () => {
    await seedChain(database.pool, { chainId: account.chainId });
    await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
    const claims = [aBudgetClaim({ key: 'k', limit: 137n })];
    const outcomes = await Promise.all(
      gateways.flatMap((gateway) =>
        Array.from({ length: 500 }, () =>
          gateway.reserve(aReserveRequest({ ...account, claims })).then(
            () => 'granted',
            (error: { reason: string }) => error.reason,
          ),
        ),
      ),
    );
    const counts = Object.fromEntries(
      [...new Set(outcomes)].map((each) => [each, outcomes.filter((o) => o === each).length]),
    );
    expect(counts).toEqual({ granted: 137, SPENDING_LIMIT_REACHED: 3_863 });
    const { rows } = await database.pool.query('SELECT count(*)::int AS n FROM ledger.reservations');
    expect(rows).toEqual([{ n: 137 }]);
  });
});
