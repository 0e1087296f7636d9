import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailableError, RequestTimedOutError } from '@paymaster/domain';
import { freePort, startPostgres, type Postgres } from '@paymaster/devnet';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@paymaster/domain/testing';
import { openLedger, type LedgerOptions } from './open-ledger';
import {
  aBudgetClaim,
  aReserveRequest,
  createLedgerDatabase,
  seedChain,
  seedWallet,
  UNHURRIED,
  type LedgerDatabase,
} from '../testing';
import { DeafRelay } from '../testing/deaf-relay';
import type { PostgresLedger } from './postgres-ledger';
import { RESERVE } from './reservation-queue';

const account = { chainId: 31337, contract: `0x${'c0'.repeat(20)}`, wallet: `0x${'77'.repeat(20)}` } as const;
const NOW = Math.floor(Date.now() / 1_000);
/** Five seconds, on a machine ten times as slow. */
const SOON_MS = 50_000;

let dataDir: string;
let port: number;
let postgres: Postgres;
let database: LedgerDatabase;
let closers: Array<() => unknown>;
let faults: string[];
const start = () => startPostgres({ dataDir, port });
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'paymaster-ledger-outage-'));
  port = await freePort();
  postgres = await start();
  database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: account.chainId, headTimeSeconds: NOW });
  await seedWallet(database.pool, { ...account, spendableWei: 10n ** 18n });
});
beforeEach(() => {
  closers = [];
  faults = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});
afterAll(async () => {
  await database.drop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function open(options: Partial<LedgerOptions> = UNHURRIED): PostgresLedger {
  const ledger = openLedger({ databaseUrl: database.url, onFault: (message) => faults.push(message), ...options });
  closers.push(() => ledger.close());
  return ledger;
}

const aRequest = (overrides: Parameters<typeof aReserveRequest>[0] = {}) =>
  aReserveRequest({ ...account, nowSeconds: NOW, ...overrides });
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
const isUnavailable = (error: unknown) =>
  error instanceof DependencyUnavailableError && error.dependency === 'database';
/** A request that is refused within this time did not wait for anything. */
const AT_ONCE = 'the breaker is open';
const causeOf = (error: unknown) =>
  error instanceof DependencyUnavailableError ? (error.cause as Error | undefined)?.message : error;

/** How long until a reservation works; milliseconds. */
async function recovery(ledger: PostgresLedger): Promise<number> {
  const startedMs = performance.now();
  await until(async () => (await errorOf(ledger.reserve(aRequest()))) === undefined);
  return performance.now() - startedMs;
}

describe('a connection that is lost at the commit', () => {
  it('is an error, and the same request again finds what was held', async () => {
    const ledger = open();
    const request = aRequest({ claims: [aBudgetClaim({ key: 'k', limit: 5n })] });
    // A lock on the outbox stops the batch right before its end.
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE ledger.outbox IN EXCLUSIVE MODE');
    const cutOff = errorOf(ledger.reserve(request));
    let pid: number | undefined;
    await until(async () => {
      const { rows } = await database.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'paymaster-ledger' AND wait_event_type = 'Lock'`,
      );
      pid = rows[0]?.pid;
      return pid !== undefined;
    });
    await database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    expect(isUnavailable(await cutOff)).toBe(true);
    await blocker.query('COMMIT');
    blocker.release();
    await recovery(ledger);

    const id = await ledger.reserve(request);
    expect(await ledger.reserve(request)).toBe(id);
    const { rows } = await database.pool.query(`SELECT reserved FROM ledger.budgets WHERE key = 'k'`);
    expect(rows).toEqual([{ reserved: '1' }]);
  });

  it('is held once when only the answer was lost', async () => {
    const relay = await DeafRelay.start(database.url);
    closers.push(() => relay.stop());
    const ledger = open({ ...UNHURRIED, databaseUrl: relay.url });
    const request = aRequest({ prechargeWei: 7_777n });
    const held = async () =>
      (await database.pool.query('SELECT id, hold_wei FROM ledger.reservations WHERE hold_wei = 7777')).rows;

    relay.keepsAnswersTo = RESERVE.name;
    const unheard = errorOf(ledger.reserve(request));
    await until(async () => (await held()).length > 0);
    const [first] = await held();
    relay.cut();
    expect(isUnavailable(await unheard)).toBe(true);

    relay.keepsAnswersTo = undefined;
    await recovery(ledger);
    expect(await ledger.reserve(request)).toBe(first.id);
    expect(await held()).toEqual([first]);
  });
});

describe('a server that is slow to take connections', () => {
  it('is used as soon as a connection is open, although opening takes longer than a statement waits', async () => {
    const relay = await DeafRelay.start(database.url);
    closers.push(() => relay.stop());
    relay.opensAfterMs = 600;
    const ledger = open({ ...UNHURRIED, poolWaitMs: 100, databaseUrl: relay.url });
    expect(isUnavailable(await errorOf(ledger.reserve(aRequest())))).toBe(true);
    await recovery(ledger);
  });
});

describe('a request whose deadline comes before a connection is open', () => {
  const heldOf = async (senders: readonly string[]) =>
    (await database.pool.query('SELECT sender FROM ledger.reservations WHERE sender = ANY($1)', [senders])).rows;

  it('holds nothing any more, and the others of its batch do', async () => {
    const relay = await DeafRelay.start(database.url);
    closers.push(() => relay.stop());
    relay.opensAfterMs = 1_000;
    const ledger = open({ ...UNHURRIED, maxBatchesInFlight: 1, databaseUrl: relay.url });
    const short = aRequest({ deadlineMs: performance.now() + 300 });
    const long = aRequest({ deadlineMs: performance.now() + 60_000 });
    const [timedOut] = await Promise.all([errorOf(ledger.reserve(short)), ledger.reserve(long)]);
    expect(timedOut).toBeInstanceOf(RequestTimedOutError);
    expect(await heldOf([short.sender, long.sender])).toEqual([{ sender: long.sender }]);
  });

  it('sends nothing when its batch has no other request, or when the deadline is over', async () => {
    const relay = await DeafRelay.start(database.url);
    closers.push(() => relay.stop());
    relay.opensAfterMs = 1_000;
    const batches: number[] = [];
    const ledger = open({
      ...{ ...UNHURRIED, maxBatchesInFlight: 1, databaseUrl: relay.url },
      onBatch: (size) => batches.push(size),
    });
    const short = aRequest({ deadlineMs: performance.now() + 300 });
    const late = aRequest({ deadlineMs: performance.now() });
    expect(await errorOf(ledger.reserve(short))).toBeInstanceOf(RequestTimedOutError);
    expect(await errorOf(ledger.reserve(late))).toBeInstanceOf(RequestTimedOutError);
    // It runs after the batch of the request that gave up.
    await ledger.reserve(aRequest());
    expect(batches).toEqual([1]);
    expect(await heldOf([short.sender, late.sender])).toEqual([]);
  });
});

describe('a lock on one wallet that outlasts the deadline', () => {
  it('fails that wallet alone, and opens no breaker', async () => {
    const deadlineMs = 10_000;
    const ledger = open({ ...UNHURRIED, deadlineMs, answerGraceMs: 60_000 });
    await recovery(ledger);
    const other = { ...account, wallet: `0x${'78'.repeat(20)}` } as const;
    await seedWallet(database.pool, { ...other, spendableWei: 10n ** 18n });
    const blocker = await database.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM ledger.wallets WHERE wallet = $1 FOR UPDATE', [account.wallet]);
    const locked = errorOf(ledger.reserve(aRequest()));
    // A process that is busy at the deadline runs its timers before it reads an answer that the server sent in time.
    await sleep(deadlineMs - 100);
    await setImmediate();
    for (const busyUntil = performance.now() + 200; performance.now() < busyUntil;);
    expect(isUnavailable(await locked)).toBe(true);
    await until(() => faults.length > 0);
    expect(faults).toEqual(['the database could not do what it was asked']);
    expect(ledger.isUp()).toBe(true);
    await ledger.reserve(aRequest(other));
    await blocker.query('ROLLBACK');
    blocker.release();
  });
});

describe('Postgres stopped', () => {
  it('fails at once, is known, and everything works soon after the start', async () => {
    const ledger = open();
    await recovery(ledger);
    await postgres.stop();
    closers.push(async () => (postgres = await start()));
    await until(() => !ledger.isUp());
    for (const call of [
      ledger.reserve(aRequest()),
      ledger.availableWei({ ...account, wallet: `0x${'01'.repeat(20)}` }),
      ledger.peek([aBudgetClaim()]),
    ]) {
      expect(causeOf(await errorOf(call))).toBe(AT_ONCE);
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
    // Long enough for one failed attempt to write the refusal.
    await sleep(400);

    postgres = await start();
    closers.pop();
    expect(await recovery(ledger)).toBeLessThan(SOON_MS);
    expect(ledger.isUp()).toBe(true);
    const kept = async () =>
      (await database.pool.query(`SELECT payload->>'message' AS message FROM ledger.outbox WHERE kind = 'refused'`))
        .rows;
    await until(async () => (await kept()).length > 0);
    expect(await kept()).toEqual([{ message: 'kept' }]);
    expect(faults).toContain('the database does not answer; nothing is reserved until it does');
  });

  it('at boot does not stop the boot', async () => {
    const early = open({ databaseUrl: `postgres://paymaster:none@127.0.0.1:${await freePort()}/nowhere` });
    expect(isUnavailable(await errorOf(early.reserve(aRequest())))).toBe(true);
    expect(early.isUp()).toBe(false);
  });
});

describe('Postgres paused', () => {
  it('is an error at the deadline, does not pile up, and works soon after', async () => {
    // Longer than this process may stall, so that a request that is refused at once does not reach its deadline.
    const ledger = open({ deadlineMs: 10_000 });
    // After its probe succeeded, the gateway opens new connections only for requests.
    await until(() => ledger.isUp());
    await recovery(ledger);
    const watcher = await database.pool.connect();
    const connections = async (where: string) =>
      (
        await watcher.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'paymaster-ledger' AND ${where}`,
        )
      ).rows.map(({ pid }) => pid);
    const paused: number[] = [];
    const pause = (pid: number) => process.kill(pid, 'SIGSTOP') && paused.push(pid);
    const goOn = () => paused.splice(0).forEach((pid) => process.kill(pid, 'SIGCONT'));
    closers.push(goOn);
    // Closes the server first, so that no new connections are opened.
    pause(postgres.pid);
    (await connections('true')).forEach(pause);

    expect(isUnavailable(await errorOf(ledger.reserve(aRequest())))).toBe(true);
    await until(() => !ledger.isUp());
    const later = await Promise.all(Array.from({ length: 100 }, () => errorOf(ledger.reserve(aRequest()))));
    expect(new Set(later.map(causeOf))).toEqual(new Set([AT_ONCE]));

    goOn();
    expect(await recovery(ledger)).toBeLessThan(SOON_MS);
    await until(async () => (await connections(`state <> 'idle'`)).length <= 4);
    watcher.release();
  });
});
