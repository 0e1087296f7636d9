import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { UNHURRIED_BOOKS } from '../testing';
import { Database } from './database';
import { lockLease } from './leases';
import { openSettlementBooks } from './open-settlement-books';
import { LeaseLostError, type Lease } from './settlement-books';
import { CHAIN_ID, GENESIS } from './testing/books-under-test';
import { hex } from './testing/model-chain';
import { ACCOUNT, OneWallet } from './testing/one-wallet';
import { operationOf, reserveRequest } from './testing/reserve-request';

let postgres: TestDatabase;
let world: OneWallet;
let closers: Array<() => Promise<void>>;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => {
  closers = [];
  world = await OneWallet.open(postgres.url);
});
afterEach(async () => {
  for (const close of closers) await close();
  await world.close();
});

describe('blocks', () => {
  it('change nothing when they are applied or made final again', async () => {
    await world.depositForGood(1_000n);
    const blocks = [world.chain.blockAt(world.chain.head.number)!];
    await world.under.books.applyBlocks(world.under.lease, blocks);
    await world.finalize();
    expect(await world.wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 1_000, held: 0 });
  });

  it('throw when they do not follow the head, or the books have another block of the number', async () => {
    world.chain.mine(1);
    world.chain.mine(1);
    const [first, second] = [world.chain.blockAt(101n)!, world.chain.blockAt(102n)!];
    await expect(world.under.books.applyBlocks(world.under.lease, [second])).rejects.toThrow('follows');
    await world.under.books.applyBlocks(world.under.lease, [first, second]);
    const other = { ...second, block: { ...second.block, hash: hex(32, 0xbad) } };
    await expect(world.under.books.applyBlocks(world.under.lease, [other])).rejects.toThrow('is applied as');
    await expect(world.under.books.finalize(world.under.lease, other.block)).rejects.toThrow('is applied as');
    await world.finalize();
    await expect(world.under.books.finalize(world.under.lease, other.block)).rejects.toThrow('is applied as');
  });

  it('may be left out before a block that names the ancestor which the books end with', async () => {
    for (let mined = 0; mined < 5; mined++) world.chain.mine(1);
    world.chain.deposit(ACCOUNT, 500n);
    const { books, lease } = world.under;
    const [second, third, fifth] = [102n, 103n, 105n].map((number) => world.chain.blockAt(number)!);
    await expect(books.applyBlocks(lease, [{ ...third!, after: second!.block }])).rejects.toThrow('follows');
    await books.applyBlocks(lease, [
      { ...third!, after: GENESIS },
      { ...fifth!, after: third!.block },
    ]);
    expect((await books.cursor(CHAIN_ID))?.head.hash).toBe(fifth!.block.hash);
    expect(await books.blockAt(CHAIN_ID, 102n)).toBeUndefined();
    expect(await books.newestBlockUpTo(CHAIN_ID, 104n)).toEqual(third!.block);
    await expect(books.finalize(lease, world.chain.blockAt(104n)!.block)).rejects.toThrow('is not in the books');
    const above = { after: 103n, upTo: 105n };
    expect(await books.leftOut(CHAIN_ID)).toEqual([{ after: GENESIS.number, upTo: 103n }, above]);
    await books.finalize(lease, third!.block);
    expect(await books.leftOut(CHAIN_ID)).toEqual([above]);
    expect((await world.wallet()).balance).toBe(0);
    await books.unwindTo(lease, 103n);
    expect(await books.leftOut(CHAIN_ID)).toEqual([]);
    await books.applyBlocks(lease, [world.chain.blockAt(104n)!, fifth!]);
    await books.finalize(lease, fifth!.block);
    expect((await world.wallet()).balance).toBe(500);
  });

  it('make the chain quiet once all their events are final and no signature is live', async () => {
    const isQuiet = () => world.under.books.isQuiet(CHAIN_ID);
    expect(await isQuiet()).toBe(true);
    world.chain.mine(1);
    world.chain.deposit(ACCOUNT, 1_000n);
    await world.follow();
    expect(await isQuiet()).toBe(false);
    await world.finalize();
    expect(await isQuiet()).toBe(true);
    const request = reserveRequest();
    await world.under.ledger.reserve(request);
    expect(await isQuiet()).toBe(false);
    world.chain.mine(1);
    world.chain.land(operationOf(request, 1), { chargedWei: 1n, success: true });
    await world.follow();
    expect(await isQuiet()).toBe(false);
    await world.finalize();
    expect(await isQuiet()).toBe(true);
  });

  it('are not undone when they are final', async () => {
    world.chain.mine(1);
    await world.finalize();
    await expect(world.under.books.unwindTo(world.under.lease, 100n)).rejects.toThrow('is final');
  });

  it('count a log once when it was delivered twice', async () => {
    world.chain.mine(1);
    world.chain.deposit(ACCOUNT, 500n);
    const { block, events: logs } = world.chain.blockAt(101n)!;
    await world.under.books.applyBlocks(world.under.lease, [{ block, events: [...logs, ...logs] }]);
    await world.under.books.finalize(world.under.lease, block);
    expect((await world.wallet()).balance).toBe(500);
  });

  it('are forgotten when they are old and final, and what is not final still can be undone', async () => {
    await world.depositForGood(1_000n);
    for (let mined = 0; mined < 20; mined++) world.chain.mine(1);
    await world.finalize();
    world.chain.mine(1);
    world.chain.requestWithdrawal(ACCOUNT, 100n);
    await world.follow();
    const { books, lease, pool } = world.under;
    const now = Math.floor(Date.now() / 1_000);
    await pool.query(
      `INSERT INTO ledger.sent_operations
         (chain_id, user_op_hash, paymaster_id, follower, bundlers, since_block, valid_until, operation, ended_at)
       SELECT $1, hash, gen_random_uuid(), gen_random_uuid(), '{}', 1, valid_until, operation, ended_at
         FROM (VALUES ('a', 0, '{}', NULL), ('b', $2, NULL, now() - interval '61 minutes'),
                      ('c', $2, NULL, now()), ('d', $2, '{}', NULL)) AS r (hash, valid_until, operation, ended_at)`,
      [CHAIN_ID, now + 86_400 * 365],
    );
    await pool.query(`UPDATE ledger.outbox SET published_at = now(), created_at = now() - interval '8 days'`);
    await books.prune(lease, { blocks: 5, outboxDays: 7 });
    const { rows } = await pool.query('SELECT min(number)::int AS least, count(*)::int AS kept FROM ledger.blocks');
    expect(rows).toEqual([{ least: 116, kept: 7 }]);
    expect(await world.events()).toEqual([]);
    const { rows: followed } = await pool.query('SELECT user_op_hash AS hash FROM ledger.sent_operations ORDER BY 1');
    expect(followed).toEqual([{ hash: 'c' }, { hash: 'd' }]);
    await world.undo(1);
    expect(await world.wallet()).toEqual({ balance: 1_000, requested: 0, spendable: 1_000, held: 0 });
  });

  it('stop the books when the chain spends what was never deposited', async () => {
    world.chain.mine(1);
    world.chain.land(operationOf(reserveRequest(), 1), { chargedWei: 1n, success: true });
    await world.follow();
    await expect(world.under.books.finalize(world.under.lease, world.chain.head)).rejects.toThrow(
      'the books miss something',
    );
    await world.under.books.halt(world.under.lease, 'missed a deposit');
    expect((await world.under.books.cursor(CHAIN_ID))!.haltedReason).toBe('missed a deposit');
  });
});

describe('a lease', () => {
  it('keeps other processes out until it expires, and then fences its former holder', async () => {
    const { books, lease, pool } = world.under;
    const second = { chainId: CHAIN_ID, holder: 'second', ttlMs: 60_000 };
    expect(await books.acquireLease(second)).toBeUndefined();
    expect(await books.acquireLease({ ...second, holder: 'first' })).toEqual(lease);
    await pool.query(`UPDATE ledger.leases SET expires_at = now()`);
    expect(await books.acquireLease(second)).toEqual({ chainId: CHAIN_ID, token: lease.token + 1n });
    world.chain.mine(1);
    await expect(world.follow()).rejects.toThrow(LeaseLostError);
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
    const { books, lease } = world.under;
    await books.releaseLease(lease, 'first');
    expect(await books.acquireLease({ chainId: CHAIN_ID, holder: 'second', ttlMs: 1_000 })).toBeDefined();
  });

  it('is not given away while its holder is inside a transaction, and its holder keeps it', async () => {
    const { lease, pool, url } = world.under;
    await pool.query(`UPDATE ledger.leases SET expires_at = now()`);
    const impatient = openSettlementBooks({ databaseUrl: url, timeouts: { ...UNHURRIED_BOOKS, lockMs: 100 } });
    closers.push(() => impatient.close());
    const leader = await pool.connect();
    await leader.query('BEGIN; SELECT FROM ledger.leases FOR UPDATE');
    const request = { chainId: CHAIN_ID, ttlMs: 1_000 };
    expect(await impatient.acquireLease({ ...request, holder: 'second' })).toBeUndefined();
    expect(await impatient.acquireLease({ ...request, holder: 'first' })).toEqual(lease);
    await leader.query('COMMIT');
    leader.release();
    expect(await impatient.acquireLease({ ...request, holder: 'second' })).toBeDefined();
  });

  it('is lost by a holder that stops inside a transaction', async () => {
    const { books, pool, url, lease } = world.under;
    const sleepy = new Database({ databaseUrl: url }, { ...UNHURRIED_BOOKS, idleInTransactionMs: 1_000 });
    closers.push(() => sleepy.close());
    await pool.query(`UPDATE ledger.leases SET expires_at = now()`);
    let next: Lease | undefined;
    const write = sleepy.write(async (queries) => {
      await lockLease(queries, lease);
      // The leader pauses for this long; meanwhile nobody can take the lease, because its row is locked.
      next = await books.acquireLease({ chainId: CHAIN_ID, holder: 'second', ttlMs: 60_000 });
      await queries.query(`UPDATE ledger.cursors SET halted_reason = 'written by a sleeper'`);
    });
    await expect(write).rejects.toThrow();
    expect(next?.token).toBe(lease.token + 1n);
    expect((await books.cursor(CHAIN_ID))?.haltedReason).toBeNull();
  });
});
