import { randomUUID } from 'node:crypto';
import { randomAddress, until } from '@paymaster/domain/testing';
import { MessageAuthenticator, RequestLogSender, type LoggedRequest, type RequestsLeftOut } from '@paymaster/messaging';
import { createApp } from '../../create-app';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { Retention } from '../../platform/retention/retention.service';
import { auditLogOf } from '../../testing/audit-log-of';
import {
  CHAIN_ID,
  databaseOf,
  INDEX_KEY,
  startDashboard,
  type DashboardUnderTest,
} from '../../testing/dashboard-under-test';
import { createPaymaster, paymasterIdOf, refusal, type Keys } from '../../testing/requests';
import { plansOf, wideReads } from '../../testing/statement-plans';
import { OF_PAYMASTER } from './kept-requests';

let dashboard: DashboardUnderTest;
let sender: RequestLogSender;
let keys: Keys;
let paymasterId: string;

beforeAll(async () => {
  dashboard = await startDashboard({
    env: { REQUEST_LOG_MAX_MB_PER_HOUR: '3', RATE_LIMIT_PER_TOKEN_PER_MINUTE: '100000' },
  });
  const authenticator = new MessageAuthenticator(INDEX_KEY);
  sender = new RequestLogSender({ nats: { natsUrl: dashboard.natsUrl }, name: 'gateway', authenticator });
  sender.start();
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
});
afterEach(() => query('TRUNCATE dashboard.request_log, dashboard.request_log_hours'));
afterAll(async () => {
  await sender.close();
  await dashboard.stop();
});

const query = <T>(text: string, values: unknown[] = []): Promise<T[]> => databaseOf(dashboard).query(text, values);
const refused = (changes: Partial<LoggedRequest> = {}): LoggedRequest => ({
  ...{ id: randomUUID(), paymasterId, chainId: CHAIN_ID, atMs: Date.now(), requestId: randomUUID() },
  ...{ method: 'pm_sponsorUserOperation', mode: 'sponsored', keyId: null, entryPoint: randomAddress() },
  ...{ sender: randomAddress(), userOperation: { callData: '0x12' }, outcome: 'refused', code: -32501 },
  ...{ reason: 'METHOD_NOT_WHITELISTED', message: 'No.', details: { selector: '0x12345678' }, durationMs: 1.25 },
  ...changes,
});
const granted = (changes: Partial<LoggedRequest> = {}): LoggedRequest =>
  refused({ outcome: 'granted', code: null, reason: null, message: null, details: {}, ...changes });
const bodyOf = (entries: readonly object[], leftOut: readonly RequestsLeftOut[] = []) =>
  JSON.stringify({ sentAtMs: Date.now(), entries, leftOut });
const tell = (entries: readonly object[], leftOut: readonly RequestsLeftOut[] = []) =>
  until(async () => (await sender.send(bodyOf(entries, leftOut))) === 'written');

interface Page {
  readonly entries: readonly (Record<string, unknown> & { readonly id: string })[];
  readonly nextCursor: string | null;
  readonly leftOut: number;
}
const ask = (method: 'GET' | 'DELETE' | 'PATCH', path: string, body?: object, who = keys) =>
  dashboard.call({ method, path, ...who, body });
const list = async (filter = '', who = keys): Promise<Page> => {
  const answer = await ask('GET', `/request-log${filter}`, undefined, who);
  expect(answer.status).toBe(200);
  return answer.body.data as unknown as Page;
};
const ids = ({ entries }: Page) => entries.map(({ id }) => id);

describe('what gateways tell', () => {
  it('is shown to the owner, with the operation in the single entry', async () => {
    const entry = refused();
    await tell([entry]);
    const { userOperation, atMs, paymasterId: _paymasterId, ...shown } = entry;
    const view = { ...shown, at: new Date(atMs).toISOString(), keyName: null };
    expect(await list()).toEqual({ entries: [view], nextCursor: null, leftOut: 0 });
    expect((await ask('GET', `/request-log/${entry.id}`)).body).toEqual({
      ...{ statusCode: 200, message: 'Request fetched', data: { ...view, userOperation } },
    });
  });

  it('names the key by the name that it had', async () => {
    const post = { method: 'POST', path: '/keys', ...keys, body: { name: 'Website', kind: 'SECRET' } } as const;
    const keyId = String((await dashboard.call(post)).body.data?.['keyId']);
    await tell([refused({ keyId }), refused()]);
    await ask('PATCH', `/keys/${keyId}`, { name: 'Renamed' });
    expect((await list(`?key=${keyId}`)).entries).toMatchObject([{ keyId, keyName: 'Website' }]);
    expect((await list('?key=main')).entries).toMatchObject([{ keyId: null, keyName: null }]);
  });

  it('is written once, also where it is sent twice', async () => {
    const entries = [refused(), refused()];
    await tell(entries);
    await tell(entries);
    expect((await list()).entries).toHaveLength(2);
  });

  it('is not believed where no gateway signed it, where it is old, and where it is no batch', async () => {
    const forger = new RequestLogSender({
      ...{ nats: { natsUrl: dashboard.natsUrl }, name: 'stranger' },
      authenticator: new MessageAuthenticator('99'.repeat(32)),
    });
    forger.start();
    await tell([]);
    expect(await forger.send(bodyOf([refused()]))).toBeUndefined();
    await forger.close();
    const old = JSON.stringify({ sentAtMs: Date.now() - 3_600_000, entries: [refused()], leftOut: [] });
    expect(await sender.send(old)).toBeUndefined();
    expect(await sender.send(bodyOf([{ ...refused(), outcome: 'won' }]))).toBe('unreadable');
    expect(await sender.send(bodyOf([refused({ message: 'x'.repeat(300_000) })]))).toBe('unreadable');
    expect((await list()).entries).toEqual([]);
    // Postgres has no such texts; those of others in the batch are kept.
    const texts = ['\u0000', 'cut \ud83d', 'whole \u{1f600}', 'written \\ud83d'];
    expect(await sender.send(bodyOf(texts.map((message) => refused({ message }))))).toBe('written');
    const kept = (await list()).entries.map(({ message }) => message).sort();
    expect(kept).toEqual(['\ufffd', 'cut \ufffd', 'whole \u{1f600}', 'written \\ud83d'].sort());
  });

  it('of a paymaster that is not there is left out, and the rest is kept', async () => {
    const entry = refused();
    await tell([refused({ paymasterId: randomUUID() }), entry]);
    expect(ids(await list())).toEqual([entry.id]);
  });
});

describe('a flood', () => {
  it('fills no more than the room of its paymaster and hour; signatures and other paymasters have their own', async () => {
    const flood = Array.from({ length: OF_PAYMASTER.entries + 50 }, () => refused({ userOperation: null }));
    for (let at = 0; at < flood.length; at += 130) await tell(flood.slice(at, at + 130));
    const other = await createPaymaster(dashboard);
    const [own, theirs] = [granted(), refused({ paymasterId: await paymasterIdOf(dashboard, other) })];
    await tell([refused(), own, theirs], [{ paymasterId, areGrants: false, requests: 7 }]);
    const [rows] = await query<{ n: number }>(
      `SELECT count(*)::int AS n FROM dashboard.request_log WHERE paymaster_id = $1 AND outcome = 'refused'`,
      [paymasterId],
    );
    expect(rows?.n).toBe(OF_PAYMASTER.entries);
    expect(await list('?outcome=granted')).toMatchObject({ entries: [{ id: own.id }], leftOut: 50 + 1 + 7 });
    expect(await list('', other)).toMatchObject({ entries: [{ id: theirs.id }], leftOut: 0 });
  });

  it('of large operations is bounded in bytes: of a paymaster, and of all together', async () => {
    const large = (of: string) => refused({ paymasterId: of, userOperation: { callData: `0x${'ab'.repeat(8_000)}` } });
    const fill = async (of: string) => {
      for (let batch = 0; batch < 12; batch++) await tell(Array.from({ length: 7 }, () => large(of)));
    };
    const bytes = async () => {
      const [row] = await query<{ bytes: string }>(
        'SELECT sum(length(user_operation::text))::text AS bytes FROM dashboard.request_log',
      );
      return Number(row?.bytes);
    };
    await fill(paymasterId);
    expect(await bytes()).toBeLessThan(OF_PAYMASTER.bytes);
    for (let paymaster = 0; paymaster < 3; paymaster++) {
      await fill(await paymasterIdOf(dashboard, await createPaymaster(dashboard)));
    }
    expect(await bytes()).toBeGreaterThan(2.8e6);
    expect(await bytes()).toBeLessThan(3e6);
  });
});

describe('GET /request-log', () => {
  it('finds by every filter, and by several at once', async () => {
    const [sender, requestId] = [randomAddress(), `trace-${randomUUID()}`];
    const one = refused({ sender, requestId, reason: 'SENDER_NOT_ALLOWED', method: 'pm_getPaymasterData' });
    const others = [granted(), refused({ outcome: 'failed', reason: 'INTERNAL_ERROR' })];
    await tell([one, ...others]);
    const upper = sender.toUpperCase().replace('0X', '0x');
    for (const filter of [
      ...[`sender=${upper}`, `requestId=${requestId}`, 'reason=SENDER_NOT_ALLOWED', 'method=pm_getPaymasterData'],
      ...['outcome=refused', `outcome=refused&sender=${sender}&key=main&from=2020-01-01`],
    ]) {
      expect({ filter, found: ids(await list(`?${filter}`)) }).toEqual({ filter, found: [one.id] });
    }
    expect(ids(await list('?to=2020-01-01'))).toEqual([]);
  });

  it('pages without gaps or repetitions, newest first, also among entries of one moment', async () => {
    const atMs = Date.now() - 5_000;
    const entries = Array.from({ length: 25 }, (_, index) => refused({ atMs: atMs + Math.floor(index / 5) }));
    await tell(entries);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await list(`?limit=7${cursor && `&cursor=${cursor}`}`);
      seen.push(...ids(page));
      cursor = page.nextCursor;
    }
    const newestFirst = [...entries].sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1));
    expect(seen).toEqual(newestFirst.map(({ id }) => id));
  });

  it.each([
    ['outcome=won', 'outcome'],
    ['sender=me', 'sender'],
    ['reason=no', 'reason'],
    ['key=mine', 'key'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['cursor=x', 'cursor'],
    ['method=a%20b', 'method'],
    ['requestId=a%20b', 'requestId'],
    ['search=x', 'search'],
  ])('refuses ?%s and names it', async (filter, name) => {
    expect(await ask('GET', `/request-log?${filter}`)).toMatchObject({
      ...{ status: 400, body: { message: expect.stringContaining(name) } },
    });
  });

  it('shows nothing of another paymaster, and no entry that is not there', async () => {
    const entry = refused();
    await tell([entry]);
    const stranger = await createPaymaster(dashboard);
    expect(ids(await list('', stranger))).toEqual([]);
    for (const [id, who] of [
      [entry.id, stranger],
      [randomUUID(), keys],
      ['x', keys],
    ] as const) {
      expect(await ask('GET', `/request-log/${id}`, undefined, who)).toMatchObject({
        ...{ status: 404, body: refusal(404, 'REQUEST_NOT_FOUND', 'Request not found') },
      });
    }
  });

  it('reads few rows at 10,000 entries, by an index for each filter', async () => {
    for (let step = 0; step < 4; step++) {
      await query(
        `INSERT INTO dashboard.request_log
         SELECT gen_random_uuid(), $1, now() - n * interval '1 s', now() + interval '1 day', 'r' || n, 1,
                'method_' || n % 50, 'sponsored', CASE WHEN n % 2 = 0 THEN 'main' ELSE lpad(to_hex(n % 50), 8, '0') END, null,
                null, '0x' || lpad(to_hex(n % 500), 40, '0'), CASE WHEN n % 100 = 0 THEN 'granted' ELSE 'refused' END,
                -32501, 'REASON_' || n % 50, 'no', '{}', 1, null
           FROM generate_series($2::int * 2500, ($2::int + 1) * 2500 - 1) n`,
        [paymasterId, step],
      );
    }
    await query('ANALYZE dashboard.request_log');
    const sender = `0x${'7'.padStart(40, '0')}`;
    for (const filter of [
      ...['limit=50', 'outcome=granted', 'reason=REASON_7', 'reason=NONE', 'method=method_7', `sender=${sender}`],
      ...['key=main', 'requestId=r77777', `outcome=refused&sender=${sender}`, 'from=2020-01-01&to=2020-01-02'],
    ]) {
      const plans = await plansOf(databaseOf(dashboard), () => list(`?${filter}`), /^request_log$/);
      const wide = plans.flatMap((plan) => wideReads(plan, 500, /^request_log$/));
      expect({ filter, wide, plans: plans.length }).toEqual({ filter, wide: [], plans: 1 });
    }
  });
});

describe('the time for which entries are kept', () => {
  const aged = (days: number, expiresInDays = 7 - days) =>
    query(
      `INSERT INTO dashboard.request_log
       SELECT gen_random_uuid(), $1, now() - $2 * interval '1 day', now() + $3 * interval '1 day', 'r', 1, 'm', 'none',
              'main', null, null, null, 'refused', -32501, 'R', 'no', '{}', 1, null FROM generate_series(1, 6000)`,
      [paymasterId, days, expiresInDays],
    );
  const count = async () => (await query<{ n: number }>('SELECT count(*)::int AS n FROM dashboard.request_log'))[0]?.n;
  const forget = () => dashboard.app.get(Retention).forget();

  it('ends by the retention job', async () => {
    await aged(8);
    await aged(6);
    expect((await list()).entries).toHaveLength(50);
    await forget();
    expect(await count()).toBe(6_000);
  });

  it('is the owner’s: a shorter one holds at once, and for what is there already', async () => {
    await aged(3);
    await aged(0.5);
    await ask('PATCH', '/paymaster-settings', { requestLogDays: 1 });
    expect(ids(await list('?to=2000-01-01'))).toEqual([]);
    const [oldest] = (await list('?limit=200')).entries.slice(-1);
    expect(Date.parse(String(oldest?.['at']))).toBeGreaterThan(Date.now() - 86_400_000);
    await forget();
    expect(await count()).toBe(6_000);
    await tell([refused()]);
    const [row] = await query<{ days: number }>(
      `SELECT round(extract(epoch FROM expires_at - at) / 86400)::int AS days FROM dashboard.request_log ORDER BY at DESC LIMIT 1`,
    );
    expect(row?.days).toBe(1);
  });

  it.each([
    [{ requestLogDays: 0 }, 'requestLogDays must not be less than 1'],
    [{ requestLogDays: 31 }, 'requestLogDays must not be greater than 30'],
    [{ requestLogGrantsPercent: 101 }, 'requestLogGrantsPercent must not be greater than 100'],
    [{ requestLogGrantsPercent: -1 }, 'requestLogGrantsPercent must not be less than 0'],
  ])('refuses the setting %j', async (settings, message) => {
    expect(await ask('PATCH', '/paymaster-settings', settings)).toMatchObject({ status: 400, body: { message } });
  });
});

describe('DELETE /request-log', () => {
  it('erases all at once, and what gateways tell later of the time before; the audit log says who did', async () => {
    const late = refused();
    const other = await createPaymaster(dashboard);
    const theirs = refused({ paymasterId: await paymasterIdOf(dashboard, other) });
    await tell([refused(), granted(), theirs]);
    expect((await ask('DELETE', '/request-log')).body).toEqual({
      ...{ statusCode: 200, message: 'Requests erased', data: { erased: 2 } },
    });
    const after = refused({ atMs: Date.now() + 1 });
    await tell([late, after]);
    expect(ids(await list())).toEqual([after.id]);
    expect(ids(await list('', other))).toEqual([theirs.id]);
    const [entry] = await auditLogOf(dashboard, paymasterId);
    expect(entry).toMatchObject({
      ...{ subject: 'settings', action: 'updated', before: { requestLogErasedAt: null } },
      after: { requestLogErasedAt: expect.any(String) },
    });
  });
});

it('two processes write each batch once', async () => {
  const second = await createApp(dashboard.app.get(DashboardConfig));
  await second.init();
  const batches = Array.from({ length: 40 }, () => [refused(), refused()]);
  await Promise.all(batches.map((batch) => tell(batch)));
  expect((await list('?limit=200')).entries).toHaveLength(80);
  expect((await list()).leftOut).toBe(0);
  await second.close();
});
