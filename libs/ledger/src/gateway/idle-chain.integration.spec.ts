import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { openLedger } from './open-ledger';
import { openSettlementBooks, type Lease, type SettlementBooks } from '../settlement';
import { aReserveRequest, createLedgerDatabase, seedWallet, UNHURRIED, type LedgerDatabase } from '../testing';
import type { Ledger } from './ledger';

/** The default bound of how old a cursor may be. */
const MAX_LAG_SECONDS = 600;
const HEAD_SECONDS = 1_800_000_000;
const HEAD = {
  number: 7n,
  hash: `0x${'07'.repeat(32)}`,
  parentHash: `0x${'06'.repeat(32)}`,
  timeSeconds: HEAD_SECONDS,
} as const;
const account = { chainId: 1, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;

let postgres: TestDatabase;
let database: LedgerDatabase;
let ledger: Ledger;
let books: SettlementBooks;
let lease: Lease;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await createLedgerDatabase(postgres.url);
  await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
  ledger = openLedger({ databaseUrl: database.url, ...UNHURRIED });
  books = openSettlementBooks({ pool: database.pool });
  lease = (await books.acquireLease({ chainId: 1, holder: 'first', ttlMs: 60_000 }))!;
  await books.startAt(lease, HEAD);
});
afterEach(async () => {
  await ledger.close();
  await database.drop();
});

/** A request long after the head's time. By default the head is still the newest block. */
const reserveLater = ({ headTimeSeconds = HEAD_SECONDS }: { headTimeSeconds?: number | undefined } = {}) =>
  ledger.reserve(aReserveRequest({ ...account, nowSeconds: HEAD_SECONDS + 3_600, headTimeSeconds }));
const lookedAgo = (seconds: number) =>
  database.pool.query(`UPDATE ledger.cursors SET checked_at = clock_timestamp() - $1 * interval '1 second'`, [seconds]);
const behind = { reason: 'LEDGER_BEHIND' };

describe('a chain that mines no block for an hour', () => {
  it('is reserved on as long as settlement finds that the head is its newest block', async () => {
    await expect(reserveLater()).rejects.toMatchObject(behind);
    await books.confirmHead(lease, HEAD);
    await expect(reserveLater()).resolves.toBeDefined();
    const { checkedSecondsAgo, ...cursor } = (await ledger.cursor(1))!;
    expect(cursor).toEqual({ headTimeSeconds: HEAD_SECONDS, haltedReason: null });
    expect(checkedSecondsAgo).toBeLessThan(MAX_LAG_SECONDS / 2);
  });

  it('is behind once settlement has not looked for longer than the bound', async () => {
    await books.confirmHead(lease, HEAD);
    await lookedAgo(MAX_LAG_SECONDS - 100);
    await expect(reserveLater()).resolves.toBeDefined();
    await lookedAgo(MAX_LAG_SECONDS + 1);
    await expect(reserveLater()).rejects.toMatchObject(behind);
  });

  it('is behind where this gateway knows a block that settlement does not see, however often it looks', async () => {
    await books.confirmHead(lease, HEAD);
    const withHeadAt = (headTimeSeconds: number) => reserveLater({ headTimeSeconds });
    await expect(withHeadAt(HEAD_SECONDS + MAX_LAG_SECONDS)).resolves.toBeDefined();
    await expect(withHeadAt(HEAD_SECONDS + MAX_LAG_SECONDS + 1)).rejects.toMatchObject(behind);
  });

  it('is behind for a gateway that does not send its newest block', async () => {
    await books.confirmHead(lease, HEAD);
    const request = aReserveRequest({ ...account, nowSeconds: HEAD_SECONDS + 3_600 });
    await expect(ledger.reserve(request)).rejects.toMatchObject(behind);
  });

  it('is behind when it is halted', async () => {
    await books.confirmHead(lease, HEAD);
    await books.halt(lease, 'a reorg too deep');
    await expect(reserveLater()).rejects.toMatchObject(behind);
  });

  it('is not confirmed by a look at another block', async () => {
    await books.confirmHead(lease, { number: 7n, hash: `0x${'08'.repeat(32)}` });
    await expect(reserveLater()).rejects.toMatchObject(behind);
  });
});
