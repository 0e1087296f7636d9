import { startPostgres, type Postgres } from '@paymaster/devnet';
import '../testing/timeouts';
import { LeaseLostError } from './settlement-books';
import { CHAIN_ID, GENESIS, openBooksUnderTest, type BooksUnderTest } from './testing/books-under-test';
import { hex, ModelChain } from './testing/model-chain';
import { claim, CONTRACT, operationOf, paymasterId, reserveRequest, SENDER, WALLET } from './testing/reserve-request';

let postgres: Postgres;
let under: BooksUnderTest;
let chain: ModelChain;
beforeAll(async () => (postgres = await startPostgres()));
afterAll(() => postgres.stop());
beforeEach(async () => {
  under = await openBooksUnderTest(postgres.url);
  chain = new ModelChain(GENESIS);
});
afterEach(async () => {
  expect(await under.books.verifyBooks()).toEqual([]);
  await under.stop();
});

const account = { contract: CONTRACT, wallet: WALLET };

/** Brings the books to the chain's head; `final` makes that final too. */
async function follow(final = false): Promise<void> {
  const { head } = (await under.books.cursor(CHAIN_ID))!;
  const blocks = [];
  for (let number = head.number + 1n; number <= chain.head.number; number++) blocks.push(chain.blockAt(number)!);
  await under.books.applyBlocks(under.lease, blocks);
  if (final) await under.books.finalize(under.lease, chain.head);
}

async function deposit(amountWei: bigint): Promise<void> {
  chain.mine(1);
  chain.deposit(account, amountWei);
  await follow(true);
}

async function wallet() {
  const { rows } = await under.pool.query(
    'SELECT balance_wei, requested_wei, spendable_wei, held_wei FROM ledger.wallets WHERE wallet = $1',
    [WALLET],
  );
  return Object.fromEntries(
    Object.entries(rows[0] ?? {}).map(([name, value]) => [name.replace('_wei', ''), Number(value)]),
  );
}

async function reservations() {
  const { rows } = await under.pool.query(
    `SELECT paymaster_id, state, void_reason, charged_wei FROM ledger.reservations ORDER BY id`,
  );
  return rows.map((row) => [row.state, row.void_reason ?? (row.charged_wei === null ? null : Number(row.charged_wei))]);
}

async function budget(key: string) {
  const { rows } = await under.pool.query('SELECT reserved, spent FROM ledger.budgets WHERE key = $1', [key]);
  return { reserved: Number(rows[0].reserved), spent: Number(rows[0].spent) };
}

async function events(): Promise<string[]> {
  const { rows } = await under.pool.query('SELECT kind FROM ledger.outbox ORDER BY id');
  return rows.map(({ kind }) => kind);
}

describe('an operation', () => {
  it('holds its maximum until it is final, then leaves its cost', async () => {
    await deposit(10_000n);
    const claims = [
      claim({ key: 'wei' }),
      claim({ key: 'count', unit: 'count', amount: 1n, limit: 5n }),
      claim({ key: 'usd', unit: 'microUsd', amount: 9_000n, microUsdPerNative: 3_000_000_000_000_000_001n }),
      claim({ key: 'live', unit: 'count', live: true, amount: 1n, limit: 4n }),
    ];
    const request = reserveRequest({ claims });
    await under.ledger.reserve(request);
    chain.mine(1);
    chain.land(operationOf(request, 1), { chargedWei: 400n, success: true });
    await follow();
    expect(await reservations()).toEqual([['landed', 400]]);
    expect(await wallet()).toEqual({ balance: 10_000, requested: 0, spendable: 10_000, held: 1_000 });
    expect(await budget('wei')).toEqual({ reserved: 1_000, spent: 0 });

    await under.books.finalize(under.lease, chain.head);
    expect(await reservations()).toEqual([['settled', 400]]);
    expect(await wallet()).toEqual({ balance: 9_600, requested: 0, spendable: 9_600, held: 0 });
    expect(await budget('wei')).toEqual({ reserved: 0, spent: 400 });
    expect(await budget('count')).toEqual({ reserved: 0, spent: 1 });
    expect(await budget('usd')).toEqual({ reserved: 0, spent: 1_201 });
    expect(await budget('live')).toEqual({ reserved: 0, spent: 0 });
    expect(await events()).toEqual(['walletChanged', 'granted', 'landed', 'settled']);
  });

  it('is charged what it cost where it finally landed, after its first block was undone', async () => {
    await deposit(10_000n);
    const request = reserveRequest({ claims: [claim({ key: 'wei' })] });
    await under.ledger.reserve(request);
    chain.mine(1);
    chain.land(operationOf(request, 1), { chargedWei: 400n, success: false });
    await follow();
    expect(await outcomes()).toEqual([{ landed: 1, reverted: 1 }]);

    chain.undo(1);
    await under.books.unwindTo(under.lease, chain.head.number);
    expect(await reservations()).toEqual([['open', null]]);
    expect(await outcomes()).toEqual([{ landed: 0, reverted: 0 }]);

    chain.mine(299);
    chain.land(operationOf(request, 1), { chargedWei: 900n, success: true });
    await follow(true);
    expect(await reservations()).toEqual([['settled', 900]]);
    expect(await budget('wei')).toEqual({ reserved: 0, spent: 900 });
    expect(await wallet()).toEqual({ balance: 9_100, requested: 0, spendable: 9_100, held: 0 });
    expect(await events()).toEqual(['walletChanged', 'granted', 'landed', 'unlanded', 'landed', 'settled']);
  });

  it('without a reservation counts at once, is final like the others, and is an alarm', async () => {
    await deposit(10_000n);
    chain.mine(1);
    chain.land(operationOf(reserveRequest(), 1), { chargedWei: 400n, success: true });
    await follow();
    expect(await wallet()).toEqual({ balance: 10_000, requested: 0, spendable: 9_600, held: 0 });
    expect(under.findings).toHaveLength(1);
    chain.undo(1);
    await under.books.unwindTo(under.lease, chain.head.number);
    expect(await wallet()).toEqual({ balance: 10_000, requested: 0, spendable: 10_000, held: 0 });

    chain.mine(1);
    chain.land(operationOf(reserveRequest(), 1), { chargedWei: 300n, success: true });
    await follow(true);
    expect(await reservations()).toEqual([
      ['voided', 'undone'],
      ['settled', 300],
    ]);
    expect(await wallet()).toEqual({ balance: 9_700, requested: 0, spendable: 9_700, held: 0 });
  });

  it('is taken from the paymaster whose hold covers it most closely, and ends the holds of the others', async () => {
    await deposit(10_000n);
    const [small, near, large] = [500n, 1_000n, 2_000n].map((prechargeWei, index) =>
      reserveRequest({ prechargeWei, paymasterId: paymasterId(index), claims: [claim({ key: `of ${index}` })] }),
    );
    for (const request of [small, near, large]) await under.ledger.reserve(request!);
    chain.mine(1);
    chain.land({ ...operationOf(near!, 1), prechargeWei: 900n }, { chargedWei: 900n, success: true });
    await follow();
    expect((await wallet())['held']).toBe(3_500);
    await under.books.finalize(under.lease, chain.head);
    expect(await reservations()).toEqual([
      ['voided', 'nonceUsed'],
      ['settled', 900],
      ['voided', 'nonceUsed'],
    ]);
    expect(await wallet()).toEqual({ balance: 9_100, requested: 0, spendable: 9_100, held: 0 });
    expect(await budget('of 1')).toEqual({ reserved: 0, spent: 900 });
    expect(await budget('of 2')).toEqual({ reserved: 0, spent: 0 });
  });

  it('that cost more than was held is booked in full, within the limits, and is an alarm', async () => {
    await deposit(10_000n);
    const request = reserveRequest({ claims: [claim({ key: 'wei', limit: 1_000n })] });
    await under.ledger.reserve(request);
    chain.mine(1);
    chain.land({ ...operationOf(request, 1), prechargeWei: 1_500n }, { chargedWei: 1_500n, success: true });
    await follow();
    expect((await wallet())['spendable']).toBe(9_500);
    await under.books.finalize(under.lease, chain.head);
    expect(await wallet()).toEqual({ balance: 8_500, requested: 0, spendable: 8_500, held: 0 });
    expect(await budget('wei')).toEqual({ reserved: 0, spent: 1_000 });
    expect(under.findings).toEqual([expect.objectContaining({ expected: 'at most 1000 wei' })]);
  });
});

async function outcomes() {
  const { rows } = await under.pool.query('SELECT landed, reverted FROM ledger.outcomes');
  return rows;
}

describe('a reservation', () => {
  it('ends when the final block is later than its last signature, not before', async () => {
    await deposit(10_000n);
    await under.ledger.reserve(reserveRequest({ claims: [claim({ key: 'wei' })] }));
    await under.ledger.reserve(reserveRequest({ validUntilSeconds: GENESIS.timeSeconds + 400, prechargeWei: 10n }));
    chain.mine(GENESIS.timeSeconds + 400 - chain.head.timeSeconds);
    await follow(true);
    expect(await reservations()).toEqual([['open', null]]);
    chain.mine(1);
    await follow();
    expect(await reservations()).toEqual([['open', null]]);
    await under.books.finalize(under.lease, chain.head);
    expect(await reservations()).toEqual([['voided', 'expired']]);
    expect(await wallet()).toEqual({ balance: 10_000, requested: 0, spendable: 10_000, held: 0 });
    expect(await budget('wei')).toEqual({ reserved: 0, spent: 0 });
  });

  it('ends when somebody else paid for its nonce', async () => {
    await deposit(10_000n);
    const request = reserveRequest();
    await under.ledger.reserve(request);
    chain.mine(1);
    chain.useNonce({ entryPoint: request.entryPoint, sender: SENDER, nonce: 0n });
    await follow(true);
    expect(await reservations()).toEqual([['voided', 'nonceUsed']]);
    expect((await wallet())['held']).toBe(0);
  });

  it('of another EntryPoint is not touched by the nonce', async () => {
    await deposit(10_000n);
    await under.ledger.reserve(reserveRequest());
    chain.mine(1);
    chain.useNonce({ entryPoint: hex(20, 0xe1), sender: SENDER, nonce: 0n });
    await follow(true);
    expect(await reservations()).toEqual([['open', null]]);
  });
});

describe('a wallet', () => {
  it('can spend a deposit when it is final', async () => {
    chain.mine(1);
    chain.deposit(account, 500n);
    await follow();
    expect(await wallet()).toEqual({ balance: 0, requested: 0, spendable: 0, held: 0 });
    await under.books.finalize(under.lease, chain.head);
    expect(await wallet()).toEqual({ balance: 500, requested: 0, spendable: 500, held: 0 });
  });

  it('can not spend what it asks to withdraw, at once, until the request is undone or taken back for good', async () => {
    await deposit(1_000n);
    chain.mine(1);
    chain.requestWithdrawal(account, 700n);
    await follow();
    expect(await wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 300, held: 0 });
    chain.undo(1);
    await under.books.unwindTo(under.lease, chain.head.number);
    expect((await wallet())['spendable']).toBe(1_000);

    chain.mine(1);
    chain.requestWithdrawal(account, 600n);
    await follow(true);
    expect(await wallet()).toEqual({ balance: 1_000, requested: 600, spendable: 400, held: 0 });
    chain.mine(1);
    chain.cancelWithdrawal(account);
    await follow();
    expect((await wallet())['spendable']).toBe(400);
    await under.books.finalize(under.lease, chain.head);
    expect(await wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 1_000, held: 0 });
  });

  it('has less after a withdrawal', async () => {
    await deposit(1_000n);
    chain.mine(1);
    chain.requestWithdrawal(account, 700n);
    chain.mine(4_000);
    chain.executeWithdrawal(account);
    await follow();
    expect(await wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 300, held: 0 });
    await under.books.finalize(under.lease, chain.head);
    expect(await wallet()).toEqual({ balance: 300, requested: 0, spendable: 300, held: 0 });
    expect(await events()).toEqual(['walletChanged', 'walletChanged']);
  });
});

describe('blocks', () => {
  it('change nothing when they are applied or made final again', async () => {
    await deposit(1_000n);
    const blocks = [chain.blockAt(chain.head.number)!];
    await under.books.applyBlocks(under.lease, blocks);
    await under.books.finalize(under.lease, chain.head);
    expect(await wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 1_000, held: 0 });
  });

  it('throw when they do not follow the head, or another one is there', async () => {
    chain.mine(1);
    chain.mine(1);
    const [first, second] = [chain.blockAt(101n)!, chain.blockAt(102n)!];
    await expect(under.books.applyBlocks(under.lease, [second])).rejects.toThrow('has parent');
    await under.books.applyBlocks(under.lease, [first, second]);
    const other = { ...second, block: { ...second.block, hash: hex(32, 0xbad) } };
    await expect(under.books.applyBlocks(under.lease, [other])).rejects.toThrow('is applied as');
    await expect(under.books.finalize(under.lease, other.block)).rejects.toThrow('is applied as');
  });

  it('are not undone when they are final', async () => {
    chain.mine(1);
    await follow(true);
    await expect(under.books.unwindTo(under.lease, 100n)).rejects.toThrow('is final');
  });

  it('count a log once that was delivered twice', async () => {
    chain.mine(1);
    chain.deposit(account, 500n);
    const { block, events: logs } = chain.blockAt(101n)!;
    await under.books.applyBlocks(under.lease, [{ block, events: [...logs, ...logs] }]);
    await under.books.finalize(under.lease, block);
    expect((await wallet())['balance']).toBe(500);
  });

  it('stop the books where the chain spends what was never deposited', async () => {
    chain.mine(1);
    chain.land(operationOf(reserveRequest(), 1), { chargedWei: 1n, success: true });
    await follow();
    await expect(under.books.finalize(under.lease, chain.head)).rejects.toThrow('the books miss something');
    await under.books.halt(under.lease, 'missed a deposit');
    expect((await under.books.cursor(CHAIN_ID))!.haltedReason).toBe('missed a deposit');
  });
});

describe('a lease', () => {
  it('keeps everybody else out until it expires, and fences who held it', async () => {
    const { books, lease, pool } = under;
    const second = { chainId: CHAIN_ID, holder: 'second', ttlMs: 60_000 };
    expect(await books.acquireLease(second)).toBeUndefined();
    expect(await books.acquireLease({ ...second, holder: 'first' })).toEqual(lease);
    await pool.query(`UPDATE ledger.leases SET expires_at = now()`);
    expect(await books.acquireLease(second)).toEqual({ chainId: CHAIN_ID, token: lease.token + 1n });
    chain.mine(1);
    await expect(follow()).rejects.toThrow(LeaseLostError);
    for (const write of [
      () => books.startAt(lease, GENESIS),
      () => books.unwindTo(lease, 100n),
      () => books.finalize(lease, GENESIS),
      () => books.halt(lease, 'x'),
      () => books.resume(lease),
      () => books.prune(lease, { blocks: 0, outboxDays: 0 }),
    ]) {
      await expect(write()).rejects.toThrow(LeaseLostError);
    }
  });

  it('is free at once when it is released', async () => {
    const { books, lease } = under;
    await books.releaseLease(lease, 'first');
    expect(await books.acquireLease({ chainId: CHAIN_ID, holder: 'second', ttlMs: 1_000 })).toBeDefined();
  });
});
