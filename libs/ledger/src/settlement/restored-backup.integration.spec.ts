import { randomBytes } from 'node:crypto';
import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { eventually } from '@paymaster/domain/testing';
import { Client } from 'pg';
import { openSettlementBooks } from './open-settlement-books';
import { CHAIN_ID } from './testing/books-under-test';
import { ACCOUNT, OneWallet } from './testing/one-wallet';
import { operationOf, reserveRequest } from './testing/reserve-request';

let postgres: TestDatabase;
let world: OneWallet;
beforeAll(async () => (postgres = await openDatabase()));
afterAll(() => postgres.stop());
beforeEach(async () => (world = await OneWallet.open(postgres.url)));
afterEach(() => world.close());

/** Copies the database as it is now, as a dump would. @returns where the copy is */
async function backUp(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  const copy = new URL(url);
  const copyName = `backup_${randomBytes(6).toString('hex')}`;
  copy.pathname = `/${copyName}`;
  const admin = new Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await admin.query(`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = $1`, [name]);
  await admin.query(`CREATE DATABASE ${copyName} TEMPLATE ${name}`);
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await admin.end();
  return copy.href;
}

interface Told {
  readonly kind: string;
  readonly event_id: string;
  /** The operation of the event, or its wallet. */
  readonly about: string;
}

/** What was written to the outbox after the backup was made. */
async function toldSince(url: string, backupId: string): Promise<readonly Told[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Told>(
    `SELECT kind, event_id, coalesce(payload ->> 'userOpHash', payload ->> 'nonce', kind) AS about
     FROM ledger.outbox WHERE id > $1 AND kind <> 'granted' ORDER BY id`,
    [backupId],
  );
  await client.end();
  return rows;
}

const lastOutboxId = async () =>
  (await world.under.pool.query<{ id: string }>('SELECT max(id) AS id FROM ledger.outbox')).rows[0]!.id;

/** The gateway notices by itself that its connections were ended. */
const reserve = (request: ReturnType<typeof reserveRequest>): Promise<string> =>
  eventually(90_000, () => world.under.ledger.reserve(request));

describe('a restored backup', () => {
  it('that reads the chain again makes the same events with the same ids', async () => {
    await world.depositForGood(10_000n);
    const [landing, moving, rivalled, expiring, lost] = [1n, 2n, 3n, 4n, 5n].map((nonce) => reserveRequest({ nonce }));
    for (const request of [landing, moving, rivalled, expiring]) await world.under.ledger.reserve(request!);
    const restored = await backUp(world.under.url);
    const backupId = await lastOutboxId();

    // Plays what happens after the backup: a reservation that the backup does not know, a reorganisation, a withdrawal,
    // an expiry.
    await reserve(lost!);
    world.chain.mine(1);
    for (const [index, request] of [landing, moving, lost].entries())
      world.chain.land(operationOf(request!, index + 1), { chargedWei: 400n, success: true });
    await world.follow();
    await world.undo(1);
    world.chain.mine(2);
    world.chain.land(operationOf(landing!, 1), { chargedWei: 500n, success: true });
    world.chain.useNonce(operationOf(rivalled!, 9));
    await world.follow();
    world.chain.mine(1);
    world.chain.land(operationOf(moving!, 2), { chargedWei: 600n, success: true });
    world.chain.land(operationOf(lost!, 3), { chargedWei: 700n, success: true });
    world.chain.requestWithdrawal(ACCOUNT, 50n);
    await world.finalize();
    world.chain.mine(1_000);
    await world.finalize();
    const original = await toldSince(world.under.url, backupId);

    const books = openSettlementBooks({ databaseUrl: restored });
    const { head } = (await books.cursor(CHAIN_ID))!;
    const lease = (await books.acquireLease({ chainId: CHAIN_ID, holder: 'first', ttlMs: 60_000 }))!;
    const blocks = [];
    for (let number = head.number + 1n; number <= world.chain.head.number; number++)
      blocks.push(world.chain.blockAt(number)!);
    await books.applyBlocks(lease, blocks);
    await books.finalize(lease, world.chain.head);
    await books.close();
    const again = await toldSince(restored, backupId);

    const idsOf = (told: readonly Told[], kind: string) =>
      told.filter((each) => each.kind === kind).map(({ event_id, about }) => `${about} ${event_id}`).sort(); // prettier-ignore
    expect(idsOf(again, 'settled')).toHaveLength(3);
    expect(idsOf(again, 'settled')).toEqual(idsOf(original, 'settled'));
    expect(idsOf(again, 'voided')).toHaveLength(2);
    expect(idsOf(again, 'voided')).toEqual(idsOf(original, 'voided'));
    // The backup never saw the block that was undone. Its events of other blocks were published before.
    expect(idsOf(original, 'landed')).toHaveLength(6);
    const lastOf = (told: readonly Told[]) =>
      new Map(told.filter(({ kind }) => kind === 'landed').map(({ about, event_id }) => [about, event_id]));
    expect(idsOf(again, 'landed')).toHaveLength(3);
    expect(lastOf(again)).toEqual(lastOf(original));
    expect(idsOf(again, 'unlanded')).toEqual([]);
    // Different facts are different events: no two of one history share an id.
    expect(new Set(original.map(({ event_id }) => event_id)).size).toBe(original.length);
  });

  it('gives a reservation with the number of a lost reservation its own events', async () => {
    await world.depositForGood(10_000n);
    const restored = await backUp(world.under.url);
    const backupId = await lastOutboxId();
    await reserve(reserveRequest({ nonce: 1n }));
    world.chain.mine(1_000);
    await world.finalize();
    const original = await toldSince(world.under.url, backupId);

    const copy = new Client({ connectionString: restored });
    await copy.connect();
    await copy.query(`INSERT INTO ledger.reservations
      (wallet_id, chain_id, entry_point, entry_point_version, paymaster_id, mode, sender, nonce, hold_wei, valid_until, state)
      SELECT id, chain_id, '0x', '0.7', gen_random_uuid(), 'sponsored', '0x', 1, 0, 1, 'open' FROM ledger.wallets`);
    const books = openSettlementBooks({ databaseUrl: restored });
    const lease = (await books.acquireLease({ chainId: CHAIN_ID, holder: 'first', ttlMs: 60_000 }))!;
    await books.applyBlocks(lease, [world.chain.blockAt(world.chain.head.number)!]);
    await books.finalize(lease, world.chain.head);
    const again = await toldSince(restored, backupId);
    const numbers = await copy.query('SELECT id FROM ledger.reservations');
    await books.close();
    await copy.end();
    expect(numbers.rows).toEqual((await world.under.pool.query('SELECT id FROM ledger.reservations')).rows);
    expect([original, again].map((told) => told.map(({ kind }) => kind))).toEqual([['voided'], ['voided']]);
    expect(again[0]!.event_id).not.toBe(original[0]!.event_id);
  });
});

describe('an operation that lands in a block again after it was undone', () => {
  it('has an event each time, and counts once', async () => {
    await world.depositForGood(10_000n);
    const request = reserveRequest();
    await world.under.ledger.reserve(request);
    world.chain.mine(1);
    world.chain.land(operationOf(request, 1), { chargedWei: 400n, success: true });
    const block = world.chain.blockAt(world.chain.head.number)!;
    const { books, lease } = world.under;
    for (let time = 0; time < 3; time++) {
      await books.applyBlocks(lease, [block]);
      await books.unwindTo(lease, block.block.number - 1n);
    }
    await books.applyBlocks(lease, [block]);
    await books.finalize(lease, block.block);
    const { rows } = await world.under.pool.query<Told>('SELECT kind, event_id FROM ledger.outbox ORDER BY id');
    const again = Array.from({ length: 3 }, () => ['landed', 'unlanded']).flat();
    expect(rows.map(({ kind }) => kind)).toEqual(['walletChanged', 'granted', ...again, 'landed', 'settled']);
    expect(new Set(rows.map(({ event_id }) => event_id)).size).toBe(rows.length);
  });
});
