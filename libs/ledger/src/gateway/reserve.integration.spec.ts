import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import type { ReserveRequest } from './ledger';
import { openLedger, type LedgerOptions } from './open-ledger';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  fromStored,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';
import type { PostgresLedger } from './postgres-ledger';

const CHAIN = 31337;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const WALLET = `0x${'77'.repeat(20)}` as const;
const NOW = Math.floor(Date.now() / 1_000);
const account = { chainId: CHAIN, contract: CONTRACT, wallet: WALLET };

let postgres: TestDatabase;
let database: LedgerDatabase;
let ledger: PostgresLedger;
let opened: PostgresLedger[];
function open(options: Partial<LedgerOptions> = {}): PostgresLedger {
  opened.push(openLedger({ databaseUrl: database.url, ...UNHURRIED, ...options }));
  return opened.at(-1)!;
}
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: CHAIN, headTimeSeconds: NOW });
  await seedWallet(database.pool, { ...account, spendableWei: 10_000n });
  opened = [];
  ledger = open();
});
afterEach(async () => {
  for (const each of opened) await each.close();
  await database.drop();
});

const aRequest = (overrides: Parameters<typeof aReserveRequest>[0] = {}) =>
  aReserveRequest({ ...account, nowSeconds: NOW, ...overrides });
const rows = async <Row = Record<string, unknown>>(text: string) => (await database.pool.query(text)).rows as Row[];
const reasonOf = (request: ReserveRequest) =>
  ledger.reserve(request).then(
    () => 'granted',
    (error: { reason: string }) => error.reason,
  );

describe('a granted request', () => {
  it('is held, booked and has its event, in one transaction', async () => {
    const claim = aBudgetClaim({
      unit: 'microUsd',
      amount: 7n,
      microUsdPerNative: 3_000_000_000n,
      endsAtSeconds: NOW + 60,
    });
    const request = aRequest({ claims: [claim, aBudgetClaim({ key: 'live/sender', live: true, limit: 4n })] });
    const id = await ledger.reserve(request);
    expect(await rows('SELECT held_wei FROM ledger.wallets')).toEqual([{ held_wei: '1000' }]);
    expect(
      await rows('SELECT id, state, hold_wei, nonce, sender, paymaster_id, valid_until FROM ledger.reservations'),
    ).toEqual([
      {
        id,
        state: 'open',
        hold_wei: '1000',
        nonce: String(request.nonce),
        sender: request.sender,
        paymaster_id: request.paymasterId,
        valid_until: String(request.validUntilSeconds),
      },
    ]);
    expect(
      await rows(`SELECT key, live, reserved, b.spent, limit_amount, policy_version, ends_at, unit, amount, micro_usd_per_native AS price
                    FROM ledger.budgets b JOIN ledger.holds h ON h.budget_id = b.id ORDER BY live`),
    ).toEqual([
      expect.objectContaining({
        key: claim.key,
        reserved: '7',
        spent: '0',
        limit_amount: '10',
        ends_at: String(NOW + 60),
        unit: 'microUsd',
        amount: '7',
        price: '3000000000',
      }),
      expect.objectContaining({
        key: 'live/sender',
        live: true,
        reserved: '1',
        limit_amount: '4',
        policy_version: '1',
        ends_at: null,
        price: null,
      }),
    ]);
    expect(
      await rows(
        "SELECT debit, credit, amount, wallet_id IS NULL AS is_budget, reservation_id FROM ledger.entries WHERE kind = 'reserved' ORDER BY 4",
      ),
    ).toEqual([
      { debit: 'available', credit: 'reserved', amount: '1000', is_budget: false, reservation_id: id },
      { debit: 'available', credit: 'reserved', amount: '7', is_budget: true, reservation_id: id },
    ]);
    const [event, ...others] = await rows<{ payload: object }>(
      'SELECT kind, chain_id, paymaster_id, payload, published_at FROM ledger.outbox',
    );
    expect(others).toEqual([]);
    expect({ ...event, payload: fromStored(event!.payload) }).toEqual({
      kind: 'granted',
      chain_id: String(CHAIN),
      paymaster_id: request.paymasterId,
      payload: { ...request.event, reservationId: id },
      published_at: null,
    });
  });
});

describe('the same operation again', () => {
  it('holds the greater amount of each, once, until the later time', async () => {
    const claims = (amount: bigint) => [
      aBudgetClaim({ key: 'wei', unit: 'wei', amount, limit: 10_000n }),
      aBudgetClaim({ key: 'live', live: true }),
    ];
    const first = aRequest({ prechargeWei: 2_000n, claims: claims(2_000n) });
    const again = (prechargeWei: bigint, validUntilSeconds: number) => ({
      ...first,
      prechargeWei,
      validUntilSeconds,
      claims: claims(prechargeWei),
    });
    const ids = [
      await ledger.reserve(first),
      await ledger.reserve(again(5_000n, NOW + 900)),
      await ledger.reserve(again(3_000n, NOW + 100)),
    ];
    expect(new Set(ids).size).toBe(1);
    expect(await rows('SELECT hold_wei, valid_until FROM ledger.reservations')).toEqual([
      { hold_wei: '5000', valid_until: String(NOW + 900) },
    ]);
    expect(await rows('SELECT held_wei FROM ledger.wallets')).toEqual([{ held_wei: '5000' }]);
    expect(
      await rows(
        'SELECT key, reserved, amount FROM ledger.budgets b JOIN ledger.holds h ON h.budget_id = b.id ORDER BY key',
      ),
    ).toEqual([
      { key: 'live', reserved: '1', amount: '1' },
      { key: 'wei', reserved: '5000', amount: '5000' },
    ]);
    expect(
      await rows(`SELECT sum(amount) FROM ledger.entries WHERE kind = 'reserved' AND wallet_id IS NOT NULL`),
    ).toEqual([{ sum: '5000' }]);
    expect(await rows('SELECT count(*)::int AS events FROM ledger.outbox')).toEqual([{ events: 3 }]);
  });

  it('is granted if only its own hold leaves no room, and refused when it needs more than there is', async () => {
    const claims = [aBudgetClaim({ key: 'one', limit: 1n })];
    const request = aRequest({ prechargeWei: 10_000n, claims });
    const id = await ledger.reserve(request);
    expect(await ledger.reserve(request)).toBe(id);
    await expect(ledger.reserve({ ...request, prechargeWei: 10_001n })).rejects.toMatchObject({
      reason: 'FUNDING_WALLET_BALANCE_TOO_LOW',
      details: { availableWei: '10000', neededWei: '10001' },
    });
  });

  it('raises the hold of an operation that has landed, which stays landed', async () => {
    const request = aRequest();
    const id = await ledger.reserve(request);
    await database.pool.query(
      `UPDATE ledger.reservations SET state = 'landed', user_op_hash = '0x1', charged_wei = 10`,
    );
    expect(await ledger.reserve({ ...request, prechargeWei: 1_500n })).toBe(id);
    expect(await rows('SELECT state, hold_wei FROM ledger.reservations')).toEqual([
      { state: 'landed', hold_wei: '1500' },
    ]);
  });

  it('is another reservation once the first is closed', async () => {
    const request = aRequest();
    const id = await ledger.reserve(request);
    await database.pool.query(
      `UPDATE ledger.reservations SET state = 'voided', void_reason = 'expired', closed_at = now()`,
    );
    expect(await ledger.reserve(request)).not.toBe(id);
  });

  it('shares nothing with the same nonce of another paymaster, sender or lane of the nonce', async () => {
    const request = aRequest({ nonce: 5n });
    const ids = await Promise.all([
      ledger.reserve(request),
      ledger.reserve({ ...request, nonce: (1n << 64n) + 5n }),
      ledger.reserve({ ...request, paymasterId: aRequest().paymasterId }),
      ledger.reserve({ ...request, sender: aRequest().sender }),
    ]);
    expect(new Set(ids).size).toBe(4);
  });
});

describe('a wallet', () => {
  it('promises no more than it can spend', async () => {
    expect(await ledger.availableWei(account)).toBe(10_000n);
    await ledger.reserve(aRequest({ prechargeWei: 9_999n }));
    await expect(ledger.reserve(aRequest({ prechargeWei: 2n }))).rejects.toMatchObject({
      reason: 'FUNDING_WALLET_BALANCE_TOO_LOW',
      details: { availableWei: '1', neededWei: '2' },
    });
    await ledger.reserve(aRequest({ prechargeWei: 1n }));
  });

  it('that is unknown has nothing', async () => {
    const request = aRequest({ wallet: `0x${'ee'.repeat(20)}` });
    expect(await ledger.availableWei(request)).toBe(0n);
    await expect(ledger.reserve(request)).rejects.toMatchObject({
      reason: 'FUNDING_WALLET_BALANCE_TOO_LOW',
      details: { availableWei: '0' },
    });
  });

  it('with a withdrawal request promises nothing new, also not a longer life of what it has promised', async () => {
    const request = aRequest({ prechargeWei: 6_000n });
    await ledger.reserve(request);
    await database.pool.query('UPDATE ledger.wallets SET spendable_wei = 5000');
    expect(await reasonOf({ ...request, validUntilSeconds: NOW + 3_000 })).toBe('FUNDING_WALLET_BALANCE_TOO_LOW');
    expect(await ledger.availableWei(account)).toBe(0n);
  });
});

describe('a budget', () => {
  it('grants to its limit and says what is used, of which limit, and until when', async () => {
    const claim = aBudgetClaim({ key: 'two', limit: 2n, endsAtSeconds: NOW + 99 });
    const aSecond = aBudgetClaim();
    await ledger.reserve(aRequest({ claims: [claim] }));
    await ledger.reserve(aRequest({ claims: [claim] }));
    await expect(ledger.reserve(aRequest({ claims: [aSecond, claim] }))).rejects.toMatchObject({
      reason: 'SPENDING_LIMIT_REACHED',
      message: 'the limit is reached',
      details: { rule: 'limits', limit: '2', used: '2', unit: 'count', resetsAtSeconds: NOW + 99 },
    });
    expect(await ledger.peek([claim, aSecond])).toEqual([
      { key: 'two', usedAmount: 2n, heldAmount: 0n, limit: 2n, endsAtSeconds: NOW + 99 },
      { key: aSecond.key, usedAmount: 0n, heldAmount: 0n, limit: 10n, endsAtSeconds: null },
    ]);
  });

  it('is kept apart from others by its key, whatever characters that has', async () => {
    const keys = ['a,b', '{a}', '"', '\\', '\\"', 'NULL', 'null', ' a ', '', 'two\nlines', 'é\u{1f600}', "'; --"];
    const claims = keys.map((key) => aBudgetClaim({ key, limit: 2n }));
    // In one batch, in which claims refer to budgets by position.
    const requests = claims
      .flatMap((claim) => [claim, claim])
      .map((claim) => aRequest({ prechargeWei: 1n, claims: [claim] }));
    await Promise.all(requests.map((request) => ledger.reserve(request)));
    const kept = await rows('SELECT key, reserved FROM ledger.budgets');
    expect(new Map(kept.map((row) => [row['key'], row['reserved']]))).toEqual(new Map(keys.map((key) => [key, '2'])));
    for (const request of requests) {
      expect(await reasonOf({ ...request, sender: aRequest().sender })).toBe('SPENDING_LIMIT_REACHED');
    }
  });

  it('leaves nothing behind when it was only refused', async () => {
    expect(await reasonOf(aRequest({ claims: [aBudgetClaim(), aBudgetClaim({ amount: 11n })] }))).toBe(
      'SPENDING_LIMIT_REACHED',
    );
    expect(await rows('SELECT key FROM ledger.budgets')).toEqual([]);
    expect(await rows('SELECT held_wei FROM ledger.wallets')).toEqual([{ held_wei: '0' }]);
  });

  it('counts what is spent', async () => {
    const claim = aBudgetClaim({ limit: 5n });
    await ledger.reserve(aRequest({ claims: [claim] }));
    await database.pool.query('UPDATE ledger.budgets SET reserved = 0, spent = 5');
    expect(await reasonOf(aRequest({ claims: [claim] }))).toBe('SPENDING_LIMIT_REACHED');
  });

  it('whose limit was lowered grants nothing until its use is below, not even a signature again', async () => {
    const at = (limit: bigint, policyVersion: number) =>
      aRequest({ policyVersion, claims: [aBudgetClaim({ key: 'k', limit })] });
    const first = at(3n, 1);
    await ledger.reserve(first);
    await ledger.reserve(at(3n, 1));
    expect(await reasonOf(at(1n, 2))).toBe('SPENDING_LIMIT_REACHED');
    expect(await reasonOf({ ...first, policyVersion: 2, claims: at(1n, 2).claims })).toBe('SPENDING_LIMIT_REACHED');
    await database.pool.query('UPDATE ledger.budgets SET reserved = 0');
    expect(await reasonOf(at(1n, 2))).toBe('granted');
    expect(await rows('SELECT limit_amount, policy_version FROM ledger.budgets')).toEqual([
      { limit_amount: '1', policy_version: '2' },
    ]);
  });

  it('holds a request of an older policy to the limit of the newer one', async () => {
    const at = (limit: bigint, policyVersion: number) =>
      aRequest({ policyVersion, claims: [aBudgetClaim({ key: 'k', limit })] });
    await ledger.reserve(at(2n, 8));
    expect(await reasonOf(at(100n, 7))).toBe('granted');
    await expect(ledger.reserve(at(100n, 7))).rejects.toMatchObject({ details: { limit: '2', used: '2' } });
    expect(await reasonOf(at(3n, 9))).toBe('granted');
  });
});

describe('a batch', () => {
  it('refuses one request without touching the others', async () => {
    const claim = aBudgetClaim({ key: 'shared', limit: 3n });
    const requests = [1_000n, 1_000n, 99_999n, 1_000n, 1_000n].map((prechargeWei) =>
      aRequest({ prechargeWei, claims: [claim] }),
    );
    const one = open({ maxBatchesInFlight: 1 });
    const outcomes = await Promise.allSettled(requests.map((request) => one.reserve(request)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(outcomes[2]).toMatchObject({ reason: { reason: 'FUNDING_WALLET_BALANCE_TOO_LOW' } });
    expect(outcomes[4]).toMatchObject({ reason: { reason: 'SPENDING_LIMIT_REACHED' } });
    expect(await rows('SELECT count(DISTINCT created_at)::int AS transactions FROM ledger.reservations')).toEqual([
      { transactions: 1 },
    ]);
  });

  it('never holds an operation twice that was requested twice at the same time', async () => {
    const request = aRequest({ prechargeWei: 4_000n, claims: [aBudgetClaim({ key: 'k' })] });
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => ledger.reserve(request)));
    expect(new Set(ids).size).toBe(1);
    expect(await rows('SELECT held_wei, reserved FROM ledger.wallets, ledger.budgets')).toEqual([
      { held_wei: '4000', reserved: '1' },
    ]);
  });

  it('with characters that jsonb cannot hold is granted', async () => {
    const request = aRequest();
    const event = {
      ...request.event,
      trace: [{ rule: 'r', input: 'a\0b\ud800 😀 \\u0000', outcome: 'pass' as const }],
    };
    await ledger.reserve({ ...request, event });
    const [row] = await rows<{ payload: object }>('SELECT payload FROM ledger.outbox');
    expect(fromStored(row!.payload)).toMatchObject({ trace: [{ input: 'a\ufffdb\ufffd 😀 \\u0000' }] });
  });

  it('with a request that the database cannot take answers the others', async () => {
    const one = open({ maxBatchesInFlight: 1 });
    const outcomes = await Promise.allSettled(
      [aRequest(), aRequest({ paymasterId: 'no uuid' }), aRequest()].map((each) => one.reserve(each)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it.each([
    ['a nonce of 257 bits', { nonce: 1n << 256n }],
    ['a negative precharge', { prechargeWei: -1n }],
    ['a time that is no number', { validUntilSeconds: NaN }],
    ['a budget claimed twice', { claims: [aBudgetClaim({ key: 'k' }), aBudgetClaim({ key: 'k' })] }],
    ['dollars without a price', { claims: [aBudgetClaim({ unit: 'microUsd' })] }],
  ])('is never sent with %s', async (_what, wrong) => {
    await expect(ledger.reserve(aRequest(wrong))).rejects.toThrow(RangeError);
  });
});

describe('the ledger is behind', () => {
  const behind = { dependency: 'ledger', reason: 'LEDGER_BEHIND' };

  it('when the chain has no cursor', async () => {
    await expect(ledger.reserve(aRequest({ chainId: 5 }))).rejects.toMatchObject(behind);
    await expect(ledger.availableWei({ ...account, chainId: 5 })).rejects.toMatchObject(behind);
  });

  it('when the chain is halted', async () => {
    await seedChain(database.pool, { chainId: CHAIN, haltedReason: 'a reorg too deep' });
    await expect(ledger.reserve(aRequest())).rejects.toMatchObject(behind);
    await expect(ledger.availableWei(account)).rejects.toMatchObject(behind);
  });

  it('as reading the cursor shows', async () => {
    expect(await ledger.cursor(CHAIN)).toEqual({ headTimeSeconds: NOW, haltedReason: null });
    expect(await ledger.cursor(5)).toBeUndefined();
    await seedChain(database.pool, { chainId: 6, headTimeSeconds: 7, haltedReason: 'a reorg too deep' });
    expect(await ledger.cursor(6)).toEqual({ headTimeSeconds: 7, haltedReason: 'a reorg too deep' });
  });

  it('when the head is older than the bound, and not a second earlier', async () => {
    await ledger.reserve(aRequest({ nowSeconds: NOW + 600 }));
    await expect(ledger.reserve(aRequest({ nowSeconds: NOW + 601 }))).rejects.toMatchObject(behind);
  });
});
