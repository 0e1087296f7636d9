import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { GENESIS } from './testing/books-under-test';
import { hex } from './testing/model-chain';
import { ACCOUNT, OneWallet } from './testing/one-wallet';
import { claim, reserveRequest, SENDER } from './testing/reserve-request';

let postgres: TestDatabase;
let world: OneWallet;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => (world = await OneWallet.open(postgres.url)));
afterEach(() => world.close());

describe('a reservation', () => {
  it('ends when the final block is later than its last signature, not before', async () => {
    await world.depositForGood(10_000n);
    await world.under.ledger.reserve(reserveRequest({ claims: [claim({ key: 'wei' })] }));
    await world.under.ledger.reserve(
      reserveRequest({ validUntilSeconds: GENESIS.timeSeconds + 400, prechargeWei: 10n }),
    );
    world.chain.mine(GENESIS.timeSeconds + 400 - world.chain.head.timeSeconds);
    await world.finalize();
    expect(await world.reservations()).toEqual([['open', null]]);
    world.chain.mine(1);
    await world.follow();
    expect(await world.reservations()).toEqual([['open', null]]);
    await world.finalize();
    expect(await world.reservations()).toEqual([['voided', 'expired']]);
    expect(await world.wallet()).toEqual({ balance: 10_000, requested: 0, spendable: 10_000, held: 0 });
    expect(await world.budget('wei')).toEqual({ reserved: 0, spent: 0 });
  });

  it('stays open when a new signature prolonged it while settlement waited for its wallet', async () => {
    await world.depositForGood(10_000n);
    await world.under.ledger.reserve(reserveRequest());
    world.chain.mine(400);
    await world.follow();
    const gateway = await world.under.pool.connect();
    await gateway.query('BEGIN');
    await gateway.query('SELECT FROM ledger.wallets FOR NO KEY UPDATE');
    await gateway.query('UPDATE ledger.reservations SET valid_until = valid_until + 1000');
    const finalized = world.finalize();
    await somebodyWaits();
    await gateway.query('COMMIT');
    gateway.release();
    await finalized;
    expect(await world.reservations()).toEqual([['open', null]]);
  });

  it('ends when another paymaster paid for its nonce', async () => {
    await world.depositForGood(10_000n);
    const request = reserveRequest();
    await world.under.ledger.reserve(request);
    world.chain.mine(1);
    world.chain.useNonce({ entryPoint: request.entryPoint, sender: SENDER, nonce: 0n });
    await world.finalize();
    expect(await world.reservations()).toEqual([['voided', 'nonceUsed']]);
    expect((await world.wallet()).held).toBe(0);
  });

  it.each([{ entryPoint: hex(20, 0xe1) }, { sender: hex(20, 0x5f) }, { nonce: 1n }])(
    'is not touched by another nonce: %p',
    async (other) => {
      await world.depositForGood(10_000n);
      const request = reserveRequest();
      await world.under.ledger.reserve(request);
      world.chain.mine(1);
      world.chain.useNonce({ entryPoint: request.entryPoint, sender: SENDER, nonce: 0n, ...other });
      await world.finalize();
      expect(await world.reservations()).toEqual([['open', null]]);
    },
  );
});

describe('a wallet', () => {
  it('can spend a deposit when it is final', async () => {
    world.chain.mine(1);
    world.chain.deposit(ACCOUNT, 500n);
    await world.follow();
    expect(await world.wallet()).toEqual({ balance: 0, requested: 0, spendable: 0, held: 0 });
    await world.finalize();
    expect(await world.wallet()).toEqual({ balance: 500, requested: 0, spendable: 500, held: 0 });
  });

  it('can not spend what it asks to withdraw, at once, until the request is undone or taken back for good', async () => {
    await world.depositForGood(1_000n);
    world.chain.mine(1);
    world.chain.requestWithdrawal(ACCOUNT, 700n);
    await world.follow();
    expect(await world.wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 300, held: 0 });
    await world.undo(1);
    expect((await world.wallet()).spendable).toBe(1_000);

    world.chain.mine(1);
    world.chain.requestWithdrawal(ACCOUNT, 600n);
    await world.finalize();
    expect(await world.wallet()).toEqual({ balance: 1_000, requested: 600, spendable: 400, held: 0 });
    world.chain.mine(1);
    world.chain.cancelWithdrawal(ACCOUNT);
    await world.follow();
    expect((await world.wallet()).spendable).toBe(400);
    await world.finalize();
    expect(await world.wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 1_000, held: 0 });
  });

  it('can still not spend it when an earlier block becomes final', async () => {
    await world.depositForGood(1_000n);
    world.chain.mine(1);
    world.chain.deposit(ACCOUNT, 50n);
    const earlier = world.chain.head;
    world.chain.mine(1);
    world.chain.requestWithdrawal(ACCOUNT, 700n);
    await world.follow();
    await world.under.books.finalize(world.under.lease, earlier);
    expect(await world.wallet()).toEqual({ balance: 1_050, requested: 0, spendable: 350, held: 0 });
  });

  it('has less after a withdrawal', async () => {
    await world.depositForGood(1_000n);
    world.chain.mine(1);
    world.chain.requestWithdrawal(ACCOUNT, 700n);
    world.chain.mine(4_000);
    world.chain.executeWithdrawal(ACCOUNT);
    await world.follow();
    expect(await world.wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 300, held: 0 });
    await world.finalize();
    expect(await world.wallet()).toEqual({ balance: 300, requested: 0, spendable: 300, held: 0 });
    expect(await world.events()).toEqual(['walletChanged', 'walletChanged']);
  });
});

/** Waits until a statement of settlement waits for a lock. */
function somebodyWaits(): Promise<true> {
  return until(async () => {
    const { rows } = await world.under.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
}
