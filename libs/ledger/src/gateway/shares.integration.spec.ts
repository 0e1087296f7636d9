import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { WALLET, type BudgetClaim, type Ledger, type ReserveRequest } from './ledger';
import { openLedger } from './open-ledger';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';

const NOW = Math.floor(Date.now() / 1_000);
const account = { chainId: 31337, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;

describe('a share', () => {
  let postgres: TestDatabase;
  let database: LedgerDatabase;
  let ledger: Ledger;
  beforeAll(async () => {
    postgres = await openDatabase();
    database = await createLedgerDatabase(postgres.url);
    await seedChain(database.pool, { chainId: account.chainId, headTimeSeconds: NOW });
    ledger = openLedger({ databaseUrl: database.url, ...UNHURRIED });
  });
  afterAll(async () => {
    await ledger.close();
    await database.drop();
    await postgres.stop();
  });
  beforeEach(async () => {
    await database.pool.query('TRUNCATE ledger.wallets, ledger.budgets, ledger.reservations, ledger.holds CASCADE');
    await seedWallet(database.pool, { ...account, spendableWei: 10_000n });
  });

  const shareOf = (of: string, client: string, percent = 50): BudgetClaim =>
    aBudgetClaim({
      ...{ key: `${of}:${client}`, live: true, limit: 0n, share: { percent, of } },
      refusal: { rule: 'share', reason: 'SHARE', message: 'too much' },
    });
  const counted = (client: string, { limit = 10n, percent = 50 } = {}): BudgetClaim[] => [
    aBudgetClaim({ key: 'limit', limit }),
    shareOf('limit', client, percent),
  ];
  const ofWallet = (client: string, amount: bigint): BudgetClaim[] => [
    { ...shareOf(WALLET, client), unit: 'wei', amount },
  ];
  const aRequest = (claims: BudgetClaim[], prechargeWei = 1n) =>
    aReserveRequest({ ...account, nowSeconds: NOW, claims, prechargeWei });
  const outcome = (request: ReserveRequest) =>
    ledger.reserve(request).then(
      () => 'granted',
      (error: { reason?: string }) => error.reason ?? String(error),
    );
  /** How many of ten are granted at once. */
  const grantedOfTen = async (make: () => ReserveRequest) =>
    (await Promise.all(Array.from({ length: 10 }, () => outcome(make())))).filter((each) => each === 'granted').length;

  it('lets a client take half of what is left, the next client half of the rest, and no client all', async () => {
    const granted = [];
    for (const client of ['a', 'b', 'c', 'd']) granted.push(await grantedOfTen(() => aRequest(counted(client))));
    expect(granted).toEqual([5, 3, 1, 1]);
  });

  it('is a part of what is left, not of the whole limit: spent amounts count against it', async () => {
    await outcome(aRequest(counted('honest', { percent: 100 })));
    await database.pool.query("UPDATE ledger.budgets SET spent = 7 WHERE key = 'limit'");
    expect(await grantedOfTen(() => aRequest(counted('stranger')))).toBe(1);
    expect(await outcome(aRequest(counted('b')))).toBe('granted');
  });

  it('of a count gives the last one to the first client', async () => {
    expect(await outcome(aRequest(counted('a', { limit: 1n, percent: 1 })))).toBe('granted');
    expect(await outcome(aRequest(counted('b', { limit: 1n, percent: 1 })))).toBe('SPENDING_LIMIT_REACHED');
  });

  it('lets a client that holds nothing else have all that is left, so that no operation is too large', async () => {
    const wei = (amount: bigint): BudgetClaim[] => [
      aBudgetClaim({ key: 'limit', unit: 'wei', amount, limit: 100n }),
      { ...shareOf('limit', 'a'), unit: 'wei', amount },
    ];
    const dear = aRequest(wei(90n));
    expect(await outcome(dear)).toBe('granted');
    expect(await outcome(aRequest(wei(1n)))).toBe('SHARE');
    expect(await outcome({ ...dear, claims: wei(100n) })).toBe('granted');
    const looks = await ledger.peek(wei(100n), dear);
    expect(looks.map(({ usedAmount, heldAmount, limit }) => [usedAmount, heldAmount, limit])).toEqual([
      [100n, 100n, 100n],
      [100n, 100n, 100n],
    ]);
  });

  it('of a wallet bounds what a client may hold of it, and the refusal says how much that is', async () => {
    const ask = (client: string, amount: bigint) => outcome(aRequest(ofWallet(client, amount), amount));
    expect(await ask('a', 3_000n)).toBe('granted');
    await expect(ledger.reserve(aRequest(ofWallet('a', 2_001n), 2_001n))).rejects.toMatchObject({
      details: { limit: '5000', used: '3000', unit: 'wei' },
    });
    expect([await ask('a', 2_000n), await ask('a', 1n), await ask('b', 2_500n)]).toEqual([
      'granted',
      'SHARE',
      'granted',
    ]);
  });

  it('grants a client again what it holds when others have taken their shares, but no more', async () => {
    const held = aRequest(ofWallet('a', 5_000n), 5_000n);
    expect(await outcome(held)).toBe('granted');
    expect(await outcome(aRequest(ofWallet('b', 2_000n), 2_000n))).toBe('granted');
    expect(await outcome({ ...held, validUntilSeconds: NOW + 900 })).toBe('granted');
    expect(await outcome(aRequest(ofWallet('a', 1n)))).toBe('SHARE');
    expect(await outcome({ ...held, validUntilSeconds: NOW + 1_200 })).toBe('granted');
  });

  it('is rounded up to the unit, however large the numbers', async () => {
    const spendableWei = 10n ** 40n + 1n;
    await database.pool.query('UPDATE ledger.wallets SET spendable_wei = $1', [spendableWei]);
    const third = (amount: bigint): BudgetClaim[] => [{ ...shareOf(WALLET, 'a', 33), unit: 'wei', amount }];
    await outcome(aRequest(third(1n)));
    const most = (spendableWei * 33n + 99n) / 100n - 1n;
    expect(await outcome(aRequest(third(most + 1n), most + 1n))).toBe('SHARE');
    expect(await outcome(aRequest(third(most), most))).toBe('granted');
  });

  it('is explained as it would be decided', async () => {
    const claims = () => [...counted('a'), ...ofWallet('a', 1_000n)];
    const first = aRequest(claims(), 1_000n);
    await ledger.reserve(first);
    await ledger.reserve(aRequest(claims(), 1_000n));
    const looks = await ledger.peek(claims(), first);
    expect(looks.map(({ usedAmount, heldAmount, limit }) => [usedAmount, heldAmount, limit])).toEqual([
      [2n, 1n, 10n],
      [2n, 1n, 5n],
      [2_000n, 1_000n, 5_000n],
    ]);
  });

  it.each([
    ['of what is not claimed before it', { of: 'later', percent: 50 }],
    ['of no percent', { of: WALLET, percent: 0 }],
    ['of more than all', { of: WALLET, percent: 101 }],
    ['of half a percent', { of: WALLET, percent: 0.5 }],
  ])('%s is a mistake of the caller', async (_title, share) => {
    const claims = [aBudgetClaim({ share }), aBudgetClaim({ key: 'later' })];
    await expect(ledger.reserve(aRequest(claims))).rejects.toThrow(RangeError);
  });
});

describe('a quiet request', () => {
  it('has an event if it makes a reservation, but not if it finds one', async () => {
    const postgres = await openDatabase();
    const database = await createLedgerDatabase(postgres.url);
    const ledger = openLedger({ databaseUrl: database.url, ...UNHURRIED });
    try {
      await seedChain(database.pool, { chainId: account.chainId, headTimeSeconds: NOW });
      await seedWallet(database.pool, { ...account, spendableWei: 10_000n });
      const request = aReserveRequest({ ...account, nowSeconds: NOW, isQuiet: true });
      const events = async () => (await database.pool.query('SELECT id FROM ledger.outbox')).rows.length;
      const ids = [await ledger.reserve(request), await ledger.reserve(request)];
      expect([new Set(ids).size, await events()]).toEqual([1, 1]);
      await ledger.reserve({ ...request, isQuiet: false });
      expect(await events()).toBe(2);
    } finally {
      await ledger.close();
      await database.drop();
      await postgres.stop();
    }
  });
});
