import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { OneWallet } from './testing/one-wallet';
import { claim, operationOf, paymasterId, reserveRequest } from './testing/reserve-request';

let postgres: TestDatabase;
let world: OneWallet;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => (world = await OneWallet.open(postgres.url)));
afterEach(() => world.close());

describe('an operation', () => {
  it('holds its maximum until it is final, then leaves its cost', async () => {
    await world.depositForGood(10_000n);
    const claims = [
      claim({ key: 'wei' }),
      claim({ key: 'count', unit: 'count', amount: 1n, limit: 5n }),
      claim({ key: 'usd', unit: 'microUsd', amount: 9_000n, microUsdPerNative: 3_000_000_000_000_000_001n }),
      claim({ key: 'live', unit: 'count', live: true, amount: 1n, limit: 4n }),
    ];
    const request = reserveRequest({ claims });
    await world.under.ledger.reserve(request);
    world.chain.mine(1);
    world.chain.land(operationOf(request, 1), { chargedWei: 400n, success: true });
    await world.follow();
    expect(await world.reservations()).toEqual([['landed', 400]]);
    expect(await world.wallet()).toEqual({ balance: 10_000, requested: 0, spendable: 10_000, held: 1_000 });
    expect(await world.budget('wei')).toEqual({ reserved: 1_000, spent: 0 });
    expect(await world.budget('live')).toEqual({ reserved: 0, spent: 0 });

    await world.finalize();
    expect(await world.reservations()).toEqual([['settled', 400]]);
    expect(await world.wallet()).toEqual({ balance: 9_600, requested: 0, spendable: 9_600, held: 0 });
    expect(await world.budget('wei')).toEqual({ reserved: 0, spent: 400 });
    expect(await world.budget('count')).toEqual({ reserved: 0, spent: 1 });
    expect(await world.budget('usd')).toEqual({ reserved: 0, spent: 1_201 });
    expect(await world.budget('live')).toEqual({ reserved: 0, spent: 0 });
    const { rows } = await world.under.pool.query(
      'SELECT key, h.spent FROM ledger.holds h LEFT JOIN ledger.budgets b ON b.id = h.budget_id ORDER BY key',
    );
    const left = { wei: '400', count: '1', usd: '1201' };
    expect(Object.fromEntries(rows.map(({ key, spent }) => [key, spent]))).toEqual(left);
    expect(await world.events()).toEqual(['walletChanged', 'granted', 'landed', 'settled']);
  });

  it('frees its place among live signatures when it lands, and does not take it back when it is undone', async () => {
    await world.depositForGood(10_000n);
    const claims = [claim({ key: 'live', unit: 'count', live: true, amount: 1n, limit: 1n })];
    const [first, second, third] = [0n, 1n, 2n].map((nonce) => reserveRequest({ nonce, claims }));
    await world.under.ledger.reserve(first!);
    await expect(world.under.ledger.reserve(second!)).rejects.toMatchObject({ reason: 'TEST' });
    world.chain.mine(1);
    world.chain.land(operationOf(first!, 1), { chargedWei: 400n, success: true });
    await world.follow();
    await world.under.ledger.reserve(second!);
    await world.undo(1);
    expect(await world.reservations()).toEqual([
      ['open', null],
      ['open', null],
    ]);
    expect(await world.budget('live')).toEqual({ reserved: 1, spent: 0 });
    await expect(world.under.ledger.reserve(third!)).rejects.toMatchObject({ reason: 'TEST' });

    world.chain.mine(1);
    world.chain.land(operationOf(first!, 1), { chargedWei: 300n, success: true });
    world.chain.land(operationOf(second!, 2), { chargedWei: 300n, success: true });
    await world.finalize();
    expect(await world.reservations()).toEqual([
      ['settled', 300],
      ['settled', 300],
    ]);
    expect(await world.budget('live')).toEqual({ reserved: 0, spent: 0 });
    expect(await world.under.books.verifyBooks()).toEqual([]);
  });

  it('is charged what it cost where it finally landed, after its first block was undone', async () => {
    await world.depositForGood(10_000n);
    const request = reserveRequest({ claims: [claim({ key: 'wei' })] });
    await world.under.ledger.reserve(request);
    world.chain.mine(1);
    world.chain.land(operationOf(request, 1), { chargedWei: 400n, success: false });
    await world.follow();
    expect(await world.outcomes()).toEqual([{ landed: 1, reverted: 1 }]);

    await world.undo(1);
    expect(await world.reservations()).toEqual([['open', null]]);
    expect(await world.outcomes()).toEqual([{ landed: 0, reverted: 0 }]);

    world.chain.mine(299);
    world.chain.land(operationOf(request, 1), { chargedWei: 900n, success: true });
    await world.finalize();
    expect(await world.reservations()).toEqual([['settled', 900]]);
    expect(await world.budget('wei')).toEqual({ reserved: 0, spent: 900 });
    expect(await world.wallet()).toEqual({ balance: 9_100, requested: 0, spendable: 9_100, held: 0 });
    expect(await world.events()).toEqual(['walletChanged', 'granted', 'landed', 'unlanded', 'landed', 'settled']);
  });

  it('tells the gas that it used and what its sender paid in a token, of the block in which it finally landed', async () => {
    await world.depositForGood(10_000n);
    const [paying, free, untold] = [0n, 1n, 2n].map((nonce) => reserveRequest({ nonce, prechargeWei: 1_000n }));
    for (const request of [paying, free, untold]) await world.under.ledger.reserve(request!);
    const token = `0x${'77'.repeat(20)}` as const;
    const outcome = { chargedWei: 400n, success: true };
    world.chain.mine(1);
    world.chain.land(operationOf(paying!, 1), {
      ...outcome,
      actualGasUsed: 50n,
      paidInToken: { token, amount: 2n ** 200n },
    });
    await world.follow();
    await world.undo(1);
    world.chain.mine(299);
    world.chain.land(operationOf(paying!, 1), { ...outcome, actualGasUsed: 60n, paidInToken: { token, amount: 7n } });
    world.chain.land(operationOf(free!, 2), { ...outcome, paidInToken: null });
    // As a process of a former version applied it.
    world.chain.land(operationOf(untold!, 3), outcome);
    await world.finalize();
    const { rows } = await world.under.pool.query(
      `SELECT kind, payload -> 'tokenPayment' AS paid, payload::jsonb ? 'tokenPayment' AS "isTold",
              payload ->> 'actualGasUsed' AS gas FROM ledger.outbox
        WHERE kind IN ('landed', 'unlanded', 'settled') ORDER BY id`,
    );
    const first = { paid: { token, amount: String(2n ** 200n) }, isTold: true, gas: '50' };
    const last = [
      { paid: { token, amount: '7' }, isTold: true, gas: '60' },
      { paid: null, isTold: true, gas: null },
      { paid: null, isTold: false, gas: null },
    ];
    expect(rows).toEqual([
      ...['landed', 'unlanded'].map((kind) => ({ kind, ...first })),
      ...['landed', 'settled'].flatMap((kind) => last.map((each) => ({ kind, ...each }))),
    ]);
  });

  it('without a reservation counts at once, is final like the others, and is an alarm', async () => {
    await world.depositForGood(10_000n);
    world.chain.mine(1);
    world.chain.land(operationOf(reserveRequest(), 1), { chargedWei: 400n, success: true });
    await world.follow();
    expect(await world.wallet()).toEqual({ balance: 10_000, requested: 0, spendable: 9_600, held: 0 });
    expect(world.under.findings).toHaveLength(1);
    await world.undo(1);
    expect(await world.wallet()).toEqual({ balance: 10_000, requested: 0, spendable: 10_000, held: 0 });

    world.chain.mine(1);
    world.chain.land(operationOf(reserveRequest(), 1), { chargedWei: 300n, success: true });
    await world.finalize();
    expect(await world.reservations()).toEqual([
      ['voided', 'undone'],
      ['settled', 300],
    ]);
    expect(await world.wallet()).toEqual({ balance: 9_700, requested: 0, spendable: 9_700, held: 0 });
  });

  it('is taken from the paymaster whose hold covers it most closely, and ends the holds of the others', async () => {
    await world.depositForGood(10_000n);
    const [small, near, large] = [500n, 1_000n, 2_000n].map((prechargeWei, index) =>
      reserveRequest({ prechargeWei, paymasterId: paymasterId(index), claims: [claim({ key: `of ${index}` })] }),
    );
    for (const request of [small, near, large]) await world.under.ledger.reserve(request!);
    world.chain.mine(1);
    world.chain.land({ ...operationOf(near!, 1), prechargeWei: 900n }, { chargedWei: 900n, success: true });
    await world.follow();
    expect((await world.wallet()).held).toBe(3_500);
    await world.finalize();
    expect(await world.reservations()).toEqual([
      ['voided', 'nonceUsed'],
      ['settled', 900],
      ['voided', 'nonceUsed'],
    ]);
    expect(await world.wallet()).toEqual({ balance: 9_100, requested: 0, spendable: 9_100, held: 0 });
    expect(await world.budget('of 1')).toEqual({ reserved: 0, spent: 900 });
    expect(await world.budget('of 2')).toEqual({ reserved: 0, spent: 0 });
  });

  it('that cost more than was held is booked in full, within the limits, and is an alarm', async () => {
    await world.depositForGood(10_000n);
    const request = reserveRequest({ claims: [claim({ key: 'wei', limit: 1_000n })] });
    await world.under.ledger.reserve(request);
    world.chain.mine(1);
    world.chain.land({ ...operationOf(request, 1), prechargeWei: 1_500n }, { chargedWei: 1_500n, success: true });
    await world.follow();
    expect((await world.wallet()).spendable).toBe(9_500);
    await world.finalize();
    expect(await world.wallet()).toEqual({ balance: 8_500, requested: 0, spendable: 8_500, held: 0 });
    expect(await world.budget('wei')).toEqual({ reserved: 0, spent: 1_000 });
    expect(world.under.findings).toEqual([expect.objectContaining({ expected: 'at most 1000 wei' })]);
  });
});
