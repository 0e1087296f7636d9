import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailableError } from '@paymaster/domain';
import { freePort, startPostgres, type Postgres } from '@paymaster/devnet';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../open-ledger';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  type LedgerDatabase,
} from '../testing';
import type { PostgresLedger } from './postgres-ledger';

const account = { chainId: 31337, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;
const NOW = Math.floor(Date.now() / 1_000);
const dataDir = mkdtempSync(join(tmpdir(), 'paymaster-ledger-outage-'));

let port: number;
let postgres: Postgres;
let database: LedgerDatabase;
let ledger: PostgresLedger;
const faults: string[] = [];
const start = () => startPostgres({ dataDir, port });
beforeAll(async () => {
  port = await freePort();
  postgres = await start();
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: account.chainId, headTimeSeconds: NOW });
  await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
  ledger = openLedger({ databaseUrl: database.url, onFault: (message) => faults.push(message) });
});
afterAll(async () => {
  await ledger.close();
  await database.drop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const aRequest = (overrides: Parameters<typeof aReserveRequest>[0] = {}) =>
  aReserveRequest({ ...account, nowSeconds: NOW, ...overrides });
const took = async (work: Promise<unknown>): Promise<{ ms: number; error: unknown }> => {
  const start = performance.now();
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { ms: performance.now() - start, error };
};
const isUnavailable = (error: unknown) =>
  error instanceof DependencyUnavailableError && error.dependency === 'database';

/** How long until a reservation works again; milliseconds. */
async function recovery(): Promise<number> {
  const start = performance.now();
  while ((await took(ledger.reserve(aRequest()))).error !== undefined) {
    if (performance.now() - start > 20_000) throw new Error('it does not come back');
    await sleep(20);
  }
  return performance.now() - start;
}

describe('a connection that is lost at the commit', () => {
  it('is an error, and the same request again finds what was held', async () => {
    const request = aRequest({ claims: [aBudgetClaim({ key: 'k', limit: 5n })] });
    // A lock on the outbox holds the batch right before it is done.
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE ledger.outbox IN EXCLUSIVE MODE');
    const cutOff = took(ledger.reserve(request));
    let pid: number | undefined;
    while (pid === undefined) {
      const { rows } = await database.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'paymaster-ledger' AND wait_event_type = 'Lock'`,
      );
      pid = rows[0]?.pid;
    }
    await database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await blocker.query('COMMIT');
    blocker.release();
    expect(isUnavailable((await cutOff).error)).toBe(true);
    await recovery();

    const id = await ledger.reserve(request);
    expect(await ledger.reserve(request)).toBe(id);
    const { rows } = await database.pool.query(`SELECT reserved FROM ledger.budgets WHERE key = 'k'`);
    expect(rows).toEqual([{ reserved: '1' }]);
  });

  it('is held once when only the answer was lost', async () => {
    const request = aRequest({ prechargeWei: 7_777n });
    const impatient = openLedger({ databaseUrl: database.url, deadlineMs: 1 });
    await sleep(300);
    // Some of these are granted by the database and not told: the outcome is unknown, and asked for again.
    for (let attempt = 0; attempt < 30; attempt++) await took(impatient.reserve(request));
    await impatient.close();
    await ledger.reserve(request);
    const { rows } = await database.pool.query(
      'SELECT count(*)::int AS n, sum(hold_wei) AS wei FROM ledger.reservations WHERE hold_wei = 7777',
    );
    expect(rows).toEqual([{ n: 1, wei: '7777' }]);
  });
});

describe('a lock on one wallet that outlasts the deadline', () => {
  it('fails that wallet alone, and opens no breaker', async () => {
    await recovery();
    const other = { ...account, wallet: `0x${'78'.repeat(20)}` } as const;
    await seedWallet(database.pool, { ...other, spendableWei: 10n ** 18n });
    faults.splice(0);
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM ledger.wallets WHERE wallet = $1 FOR UPDATE', [account.wallet]);
    try {
      const locked = took(ledger.reserve(aRequest()));
      // A process that is busy at the deadline runs its timers before it reads what the server said in time.
      await sleep(900);
      await setImmediate();
      for (const busyUntil = performance.now() + 200; performance.now() < busyUntil;);
      expect(isUnavailable((await locked).error)).toBe(true);
      await sleep(500);
      expect(faults).toEqual(['the database could not do what it was asked']);
      expect(ledger.isUp()).toBe(true);
      await ledger.reserve(aRequest(other));
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  });
});

describe('Postgres stopped', () => {
  it('fails at once, is known, and everything works within 5 s of the start', async () => {
    await recovery();
    await postgres.stop();
    await took(ledger.reserve(aRequest()));
    expect(ledger.isUp()).toBe(false);
    for (const call of [
      ledger.reserve(aRequest()),
      ledger.availableWei({ ...account, wallet: `0x${'01'.repeat(20)}` }),
      ledger.peek([aBudgetClaim()]),
    ]) {
      const { ms, error } = await took(call);
      expect(isUnavailable(error)).toBe(true);
      expect(ms).toBeLessThan(50);
    }
    ledger.recordRefusal({
      ...aRequest().event,
      kind: 'refused',
      reservationId: null,
      reason: 'R',
      message: 'kept',
      prechargeWei: null,
      details: {},
    });
    await sleep(400);

    postgres = await start();
    expect(await recovery()).toBeLessThan(5_000);
    expect(ledger.isUp()).toBe(true);
    await sleep(700);
    const { rows } = await database.pool.query(
      `SELECT payload->>'message' AS message FROM ledger.outbox WHERE kind = 'refused'`,
    );
    expect(rows).toEqual([{ message: 'kept' }]);
    expect(faults).toContain('the database does not answer; nothing is reserved until it does');
  });

  it('at boot does not stop the boot', async () => {
    const early = openLedger({ databaseUrl: `postgres://paymaster:none@127.0.0.1:${await freePort()}/nowhere` });
    expect(isUnavailable((await took(early.reserve(aRequest()))).error)).toBe(true);
    expect(early.isUp()).toBe(false);
    await early.close();
  });
});

describe('Postgres paused', () => {
  it('is an error within the deadline, does not pile up, and works within 5 s after', async () => {
    await recovery();
    const { rows } = await database.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'paymaster-ledger'`,
    );
    const pids = [postgres.pid, ...rows.map(({ pid }) => pid)];
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      const { ms, error } = await took(ledger.reserve(aRequest()));
      expect(isUnavailable(error)).toBe(true);
      expect(ms).toBeLessThan(1_500);
      await sleep(500);
      const later = await took(Promise.all(Array.from({ length: 100 }, () => ledger.reserve(aRequest()))));
      expect(isUnavailable(later.error)).toBe(true);
      expect(later.ms).toBeLessThan(100);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    expect(await recovery()).toBeLessThan(5_000);
    const { rows: connections } = await database.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'paymaster-ledger' AND state <> 'idle'`,
    );
    expect(connections[0]!.n).toBeLessThanOrEqual(4);
  });
});
