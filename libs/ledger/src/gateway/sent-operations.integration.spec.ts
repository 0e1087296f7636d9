import { openDatabase, type TestDatabase } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import {
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';
import type { ReserveRequest, SentChange } from './ledger';
import { openLedger } from './open-ledger';
import type { PostgresLedger } from './postgres-ledger';

const CHAIN = 31337;
const account = { chainId: CHAIN, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;
const OTHER = '00000000-0000-4000-8000-000000000002';
const MOST = 100;

let postgres: TestDatabase;
let database: LedgerDatabase;
let ledger: PostgresLedger;
let next: PostgresLedger;
let hashes = 0;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: CHAIN });
  await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
  [ledger, next] = [openGateway(), openGateway()];
});
afterEach(async () => {
  await Promise.all([ledger.close(), next.close()]);
  await database.drop();
});

const openGateway = () => openLedger({ databaseUrl: database.url, ...UNHURRIED });

/** A signed operation, and what its bundler did. */
async function signed(changes: Partial<SentChange> = {}) {
  const request = aReserveRequest(account);
  const reservationId = await ledger.reserve(request);
  return { request, reservationId, change: sentOf(request, changes) };
}

function sentOf(request: ReserveRequest, changes: Partial<SentChange> = {}): SentChange {
  const { paymasterId, sender, nonce, entryPointVersion, validUntilSeconds } = request;
  return {
    ...{ ...account, state: 'sent', userOpHash: `0x${(++hashes).toString(16).padStart(64, '0')}` },
    ...{ paymasterId, sender, nonce, entryPointVersion, validUntilSeconds, sinceBlock: 7n },
    ...{ bundler: 'first', bundlers: ['first'], message: null, operation: '{"a":"1n"}', ...changes },
  };
}

const events = async () =>
  (
    await database.pool.query<{ kind: string; paymaster_id: string; payload: Record<string, unknown> }>(
      `SELECT kind, paymaster_id, payload FROM ledger.outbox WHERE kind <> 'granted' ORDER BY id`,
    )
  ).rows;
const rows = async () =>
  (
    await database.pool.query<{ user_op_hash: string; operation: string | null }>(
      `SELECT * FROM ledger.sent_operations`,
    )
  ).rows;
const written = (count: number) => until(async () => (await rows()).length === count, `${count} rows`);
const told = (count: number) => until(async () => (await events()).length === count, `${count} events`);

describe('recordSent', () => {
  it('keeps what a bundler took, and tells the paymaster whose reservation it is', async () => {
    const { request, reservationId, change } = await signed();
    ledger.recordSent({ ...change, paymasterId: OTHER });
    await told(1);
    const { paymasterId, sender, nonce } = request;
    expect(await events()).toEqual([
      {
        ...{ kind: 'sent', paymaster_id: paymasterId },
        payload: {
          ...{
            kind: 'sent',
            chainId: CHAIN,
            paymasterId,
            reservationId,
            mode: 'sponsored',
            sender,
            nonce: String(nonce),
          },
          ...{ entryPointVersion: '0.7', userOpHash: change.userOpHash, bundler: 'first', message: null },
        },
      },
    ]);
    expect(await rows()).toMatchObject([
      { reservation_id: reservationId, bundlers: ['first'], since_block: '7', operation: '{"a":"1n"}' },
    ]);
  });

  it('tells what happens next, also after the reservation is closed, and forgets what landed', async () => {
    const { reservationId, change } = await signed();
    const later = { ...change, operation: undefined };
    ledger.recordSent(change);
    ledger.recordSent({ ...later, state: 'waiting' });
    await told(2);
    await database.pool.query(
      `UPDATE ledger.reservations SET state = 'voided', void_reason = 'expired', closed_at = now()`,
    );
    ledger.recordSent({ ...later, state: 'dropped', message: 'ended\0' });
    await told(3);
    expect((await events()).map(({ kind, payload }) => [kind, payload['reservationId'], payload['message']])).toEqual([
      ['sent', reservationId, null],
      ['waiting', reservationId, null],
      ['dropped', reservationId, 'ended\ufffd'],
    ]);
    expect(await rows()).toMatchObject([{ operation: null }]);
    ledger.recordSent({ ...later, state: 'landed' });
    await written(0);
    expect(await events()).toHaveLength(3);
  });

  it('tells a refusal, and keeps nothing of it', async () => {
    const { change } = await signed({ state: 'bundlerRefused', message: 'AA21', operation: undefined, bundlers: [] });
    ledger.recordSent(change);
    await told(1);
    expect(await events()).toMatchObject([{ kind: 'bundlerRefused', payload: { bundler: 'first', message: 'AA21' } }]);
    expect(await rows()).toEqual([]);
  });

  it('tells nobody of an operation without a reservation, and keeps none that is too large', async () => {
    ledger.recordSent(sentOf(aReserveRequest(account)));
    await written(1);
    const { change } = await signed({ operation: 'x'.repeat(100_001) });
    ledger.recordSent(change);
    await told(1);
    expect(await rows()).toHaveLength(1);
  });
});

describe('takeOverSent', () => {
  it('gives what a process that has stopped followed to one other, once', async () => {
    for (let index = 0; index < 5; index++) ledger.recordSent((await signed()).change);
    await written(5);
    expect(await next.takeOverSent([CHAIN], MOST)).toEqual([]);
    await ledger.close();
    ledger = openGateway();
    const third = openGateway();
    try {
      expect(await next.takeOverSent([1], MOST)).toEqual([]);
      const taken = await Promise.all([next.takeOverSent([CHAIN], 3), third.takeOverSent([CHAIN], 3)]);
      taken.push(await next.takeOverSent([CHAIN], 3));
      const all = taken.flat();
      expect(new Set(all.map(({ userOpHash }) => userOpHash)).size).toBe(5);
      expect(all).toHaveLength(5);
      expect(all[0]).toMatchObject({ bundlers: ['first'], sinceBlock: 7n, operation: '{"a":"1n"}', chainId: CHAIN });
      expect(await third.takeOverSent([CHAIN], MOST)).toEqual([]);
    } finally {
      await third.close();
    }
  });

  it('gives what a process that died followed when it was silent for fifteen seconds', async () => {
    const { change } = await signed();
    ledger.recordSent(change);
    await written(1);
    const silentFor = (seconds: number) =>
      database.pool.query(`UPDATE ledger.followers SET seen_at = now() - $1 * interval '1 second'`, [seconds]);
    await silentFor(10);
    expect(await next.takeOverSent([CHAIN], MOST)).toEqual([]);
    await silentFor(16);
    expect(await next.takeOverSent([CHAIN], MOST)).toMatchObject([{ userOpHash: change.userOpHash }]);
  });

  it('forgets processes that have ended and left nothing', async () => {
    ledger.recordSent((await signed()).change);
    await written(1);
    await database.pool.query(`UPDATE ledger.followers SET seen_at = '-infinity'`);
    const known = async () => (await database.pool.query('SELECT FROM ledger.followers')).rowCount;
    await next.takeOverSent([1], MOST);
    expect(await known()).toBe(2);
    await next.takeOverSent([CHAIN], MOST);
    await next.takeOverSent([CHAIN], MOST);
    expect(await known()).toBe(1);
  });
});

describe('findSent', () => {
  it('says whether an operation is followed, or was given up', async () => {
    const { change } = await signed();
    expect(await next.findSent(CHAIN, change.userOpHash)).toBeUndefined();
    ledger.recordSent(change);
    await written(1);
    expect(await next.findSent(CHAIN, change.userOpHash)).toBe('followed');
    ledger.recordSent({ ...change, state: 'dropped', operation: undefined });
    await told(2);
    expect(await next.findSent(CHAIN, change.userOpHash)).toBe('dropped');
  });

  it('says nothing of an operation that its process lost, some minutes after its signature has ended', async () => {
    const { change } = await signed({ validUntilSeconds: Math.floor(Date.now() / 1_000) - 200 });
    ledger.recordSent(change);
    await written(1);
    expect(await next.findSent(CHAIN, change.userOpHash)).toBeUndefined();
  });
});
