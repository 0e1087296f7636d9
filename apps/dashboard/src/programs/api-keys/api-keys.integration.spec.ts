import { Logger } from '@nestjs/common';
import { until } from '@paymaster/domain/testing';
import { apiKeyIndex } from '@paymaster/messaging';
import { AccountsService } from '../../access/accounts/accounts.service';
import { isApiKeyShaped } from '../../platform/crypto/api-key';
import { paymasterOfKey } from '../../access/paymasters/paymaster-of-key.sql';
import { Retention } from '../../platform/retention/retention.service';
import { auditLogOf } from '../../testing/audit-log-of';
import {
  databaseOf,
  INDEX_KEY,
  startDashboard,
  type DashboardUnderTest,
  type TestAnswer,
} from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { fromPage, signedInMember } from '../../testing/people';
import { contractBody, createPaymaster, paymasterBody, paymasterIdOf, type Keys } from '../../testing/requests';

const DAY_SECONDS = 86_400;

let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
let keys: Keys;
let paymasterId: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  gateway = await ListeningGateway.connect(dashboard);
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
});

const rotateWith = (by: Keys, body?: object): Promise<TestAnswer> =>
  dashboard.call({ method: 'POST', path: '/paymaster/rotate-key', ...by, body });
const endFormer = (apiKey: string): Promise<TestAnswer> =>
  dashboard.call({ method: 'DELETE', path: '/paymaster/former-keys', ...keys, apiKey });
const query = <T>(text: string, values?: unknown[]): Promise<T[]> => databaseOf(dashboard).query(text, values);

/** Rotates the paymaster's key. @returns the new one */
async function rotate(apiKey: string, body?: object): Promise<string> {
  const answer = await rotateWith({ ...keys, apiKey }, body);
  expect(answer).toMatchObject({ status: 200, body: { statusCode: 200, message: 'API key rotated' } });
  return String(answer.body.data?.['apiKey']);
}

/** Whose paymaster a key is, for REST and for gateways, which must agree. */
async function ownerOf(apiKey: string): Promise<string | undefined> {
  const rest = await dashboard.call({ method: 'GET', path: '/funding-message', ...keys, apiKey });
  const snapshot = await gateway.resolve(apiKey);
  expect(rest.body.data?.['paymasterId']).toBe(snapshot?.paymasterId);
  if (!snapshot) expect(rest).toMatchObject({ status: 404, body: { message: 'User not found' } });
  return snapshot?.paymasterId;
}

/** Lets the database's clock pass the end of every former key. */
const passTheEnd = () => query(`UPDATE dashboard.former_api_keys SET valid_until = now() - interval '1 ms'`);
const rowsOf = (apiKey: string) =>
  query(`SELECT 1 FROM dashboard.former_api_keys WHERE api_key_index = $1`, [apiKeyIndex(apiKey, INDEX_KEY)]);
const isDuring = (seconds: number, text: unknown) =>
  Math.abs(Date.parse(String(text)) - Date.now() - seconds * 1_000) < 60_000;

describe('rotating an API key', () => {
  it('answers the new key, and when the one before ends: in a day', async () => {
    const { status, body } = await rotateWith(keys);
    expect(status).toBe(200);
    expect(Object.keys(body.data ?? {}).sort()).toEqual(
      ['apiKey', 'chainId', 'name', 'paymasterId', 'previousKeyValidUntil'].sort(),
    );
    expect(body.data).toMatchObject({ chainId: 31337, paymasterId, name: expect.stringMatching(/^paymaster /) });
    const { apiKey, previousKeyValidUntil } = body.data ?? {};
    expect(isApiKeyShaped(String(apiKey))).toBe(true);
    expect(apiKey).not.toBe(keys.apiKey);
    expect(isDuring(DAY_SECONDS, previousKeyValidUntil)).toBe(true);
  });

  it('lets both keys work until the one before ends, by the clock of the database', async () => {
    const current = await rotate(keys.apiKey, { previousKeyValidSeconds: 3_600 });
    expect([await ownerOf(keys.apiKey), await ownerOf(current)]).toEqual([paymasterId, paymasterId]);
    await passTheEnd();
    expect([await ownerOf(keys.apiKey), await ownerOf(current)]).toEqual([undefined, paymasterId]);
  });

  it('lets the former key do all that the current one does', async () => {
    const current = await rotate(keys.apiKey);
    const contract = contractBody();
    const created = await dashboard.call({ method: 'POST', path: '/smart-contract', ...keys, body: contract });
    expect(created.status).toBe(200);
    expect(await gateway.resolve(current)).toMatchObject({ contracts: [{ address: contract.address }] });
    expect(await gateway.resolve(keys.apiKey)).toEqual(await gateway.resolve(current));
    const { version = 0 } = (await gateway.resolve(current)) ?? {};
    expect(await gateway.confirm(keys.apiKey, { paymasterId, version })).toBe('unchanged');
    await passTheEnd();
    expect(await gateway.confirm(keys.apiKey, { paymasterId, version })).toBeUndefined();
  });

  it('ends the key at once when asked to, and tells the gateways', async () => {
    const answer = await rotateWith(keys, { previousKeyValidSeconds: 0 });
    expect(isDuring(0, answer.body.data?.['previousKeyValidUntil'])).toBe(true);
    const current = String(answer.body.data?.['apiKey']);
    expect([await ownerOf(keys.apiKey), await ownerOf(current)]).toEqual([undefined, paymasterId]);
    expect(await rowsOf(keys.apiKey)).toEqual([]);
    await until(() => gateway.versionsHeardOf(paymasterId).length === 1);
    expect(gateway.versionsHeardOf(paymasterId)).toEqual([2]);
  });

  it('shows the current key in the list of paymasters, and only that', async () => {
    const current = await rotate(keys.apiKey);
    const { body } = await dashboard.call({ method: 'GET', path: '/paymaster', authToken: keys.authToken });
    expect(body.data).toMatchObject([{ apiKey: current }]);
    expect(JSON.stringify(body)).not.toContain(keys.apiKey);
  });

  it('takes a former key for what it is: a second try makes no second key', async () => {
    const current = await rotate(keys.apiKey);
    const again = await rotateWith(keys);
    expect(again).toMatchObject({
      status: 409,
      body: {
        statusCode: 409,
        message: 'The API key was replaced before: send the current one, which the list of paymasters shows',
      },
    });
    expect(await gateway.resolve(current)).toMatchObject({ version: 2 });
  });

  it.each([{}, { previousKeyValidSeconds: 0 }])(
    'lets one of several at once through, and its key works (%j)',
    async (body) => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => rotateWith(keys, body)));
      const [done, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      // Whoever came after the end of the key finds it unknown, else replaced.
      const refused = answers.filter((answer) => answer !== done);
      expect(
        refused.every(({ status }) => status === 409 || (status === 404 && 'previousKeyValidSeconds' in body)),
      ).toBe(true);
      expect(await ownerOf(String(done?.body.data?.['apiKey']))).toBe(paymasterId);
    },
  );

  it('lets three former keys work, refuses a fourth, and still ends a key that leaked', async () => {
    const all = [keys.apiKey];
    for (let times = 0; times < 3; times++) all.push(await rotate(String(all.at(-1))));
    const current = String(all.at(-1));
    const refused = await rotateWith({ ...keys, apiKey: current });
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^A paymaster can have at most 3 former API keys: /) },
    });
    for (const apiKey of all) expect(await ownerOf(apiKey)).toBe(paymasterId);

    const next = await rotate(current, { previousKeyValidSeconds: 0 });
    expect([await ownerOf(current), await ownerOf(next), await ownerOf(keys.apiKey)]).toEqual([
      ...[undefined, paymasterId, paymasterId],
    ]);
    await passTheEnd();
    await rotate(next);
    expect(await rowsOf(keys.apiKey)).toEqual([]);
  });

  it.each<[unknown, string]>([
    [-1, 'previousKeyValidSeconds must not be less than 0'],
    [2_592_001, 'previousKeyValidSeconds must not be greater than 2592000'],
    [2 ** 53, 'previousKeyValidSeconds must not be greater than 2592000'],
    [0.5, 'previousKeyValidSeconds must be an integer number'],
    ['0', 'previousKeyValidSeconds must be an integer number'],
    ['', 'previousKeyValidSeconds must be an integer number'],
    [null, 'previousKeyValidSeconds must be an integer number'],
    [true, 'previousKeyValidSeconds must be an integer number'],
    [[0], 'previousKeyValidSeconds must be an integer number'],
    [{ valueOf: 0 }, 'previousKeyValidSeconds must be an integer number'],
  ])('refuses %j seconds, and changes nothing', async (previousKeyValidSeconds, message) => {
    const answer = await rotateWith(keys, { previousKeyValidSeconds } as object);
    expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, message } });
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 1 });
  });

  it('refuses a field that it does not know: a misspelt one must not keep a leaked key working', async () => {
    const answer = await rotateWith(keys, { previousKeyValidSecond: 0 });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'property previousKeyValidSecond should not exist' },
    });
  });

  it.each(['{"previousKeyValidSeconds":1e999}', '{"previousKeyValidSeconds":0', '[]', '"0"', 'null', '0'])(
    'answers 400 to the body %s',
    async (payload) => {
      const headers = { ...keys, 'content-type': 'application/json' };
      const url = '/api/v2/public/sdk/paymaster/rotate-key';
      expect((await dashboard.app.inject({ method: 'POST', url, headers, payload })).statusCode).toBe(400);
      expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 1 });
    },
  );

  it('changes nothing for somebody else, nor without both headers', async () => {
    const stranger = await createPaymaster(dashboard);
    const answers = [
      await rotateWith({ ...stranger, apiKey: keys.apiKey }),
      await rotateWith({ ...keys, apiKey: stranger.apiKey }),
      await rotateWith({ ...keys, apiKey: '' }),
      await rotateWith({ ...keys, authToken: '' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 401, 401]);
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 1 });
    expect(await gateway.resolve(stranger.apiKey)).toMatchObject({ version: 1 });
  });
});

describe('showing an API key', () => {
  /** A person of the paymaster's account. */
  const owner = async () => {
    const [account] = await query<{ id: string }>('SELECT account_id AS id FROM dashboard.paymasters WHERE id = $1', [
      paymasterId,
    ]);
    return signedInMember(dashboard, account!, 'owner');
  };
  const shownLater = { before: { shownAt: null }, after: { shownAt: expect.stringMatching(/^\d{4}-.*Z$/) } };

  it('answers it to a person who asks, and the audit log says to whom, without the key', async () => {
    const { personId, cookie, accountId } = await owner();
    const headers = { ...fromPage(cookie, accountId), paymasterId };
    const answer = await dashboard.call({ method: 'POST', path: '/paymaster/show-key', headers });
    expect(answer.body.data).toMatchObject({ apiKey: keys.apiKey, paymasterId });
    const log = await auditLogOf(dashboard, paymasterId);
    expect(log).toMatchObject([{ subject: 'apiKey', action: 'updated', version: 1, personId, ...shownLater }]);
    expect(JSON.stringify(log)).not.toContain(keys.apiKey);
  });

  it('is noted where a person lists paymasters with their keys, and not where a program does', async () => {
    const { personId, cookie, accountId } = await owner();
    const list = (more: object) => dashboard.call({ method: 'GET', path: '/paymaster', ...more });
    const byProgram = await list({ authToken: keys.authToken });
    expect(await auditLogOf(dashboard, paymasterId)).toEqual([]);
    expect((await list({ headers: fromPage(cookie, accountId) })).body).toEqual(byProgram.body);
    expect(await auditLogOf(dashboard, paymasterId)).toMatchObject([{ personId, ...shownLater }]);
  });

  it('is left out, with all data, where Prefer: return=minimal asks for none', async () => {
    const headers = { prefer: 'respond-async, return=minimal' };
    const body = paymasterBody();
    const { authToken } = keys;
    const answer = await dashboard.call({ method: 'POST', path: '/paymaster', authToken, headers, body });
    expect(answer).toMatchObject({ status: 200, headers: { 'preference-applied': 'return=minimal' } });
    expect(answer.body).toEqual({ statusCode: 200, message: 'DApp registered successfully' });
  });

  it('lists until when former keys work, the next to end first', async () => {
    const listed = async () =>
      (await dashboard.call({ method: 'GET', path: '/paymaster/former-keys', ...keys })).body.data;
    expect(await listed()).toEqual([]);
    const second = await rotate(keys.apiKey, { previousKeyValidSeconds: 7_200 });
    await rotate(second, { previousKeyValidSeconds: 3_600 });
    const ends = (await listed()) as unknown as { validUntil: string }[];
    expect(ends.map(({ validUntil }, at) => isDuring([3_600, 7_200][at] ?? 0, validUntil))).toEqual([true, true]);
  });
});

describe('ending former keys', () => {
  it('ends them all at once, says how many, and leaves the current key', async () => {
    const second = await rotate(keys.apiKey);
    const third = await rotate(second);
    const answer = await endFormer(third);
    expect(answer.body).toEqual({ statusCode: 200, message: 'Former API keys ended', data: { ended: 2 } });
    const owners = [await ownerOf(keys.apiKey), await ownerOf(second), await ownerOf(third)];
    expect(owners).toEqual([undefined, undefined, paymasterId]);
    await until(() => gateway.versionsHeardOf(paymasterId).length === 3);
    expect((await endFormer(third)).body.data).toEqual({ ended: 0 });
  });

  it('may be asked for with one of them', async () => {
    const current = await rotate(keys.apiKey);
    expect((await endFormer(keys.apiKey)).body.data).toEqual({ ended: 1 });
    expect([await ownerOf(keys.apiKey), await ownerOf(current)]).toEqual([undefined, paymasterId]);
  });
});

describe('what is kept of API keys', () => {
  it('is in the audit log, without the keys and their indexes', async () => {
    const second = await rotate(keys.apiKey, { previousKeyValidSeconds: 60 });
    const third = await rotate(second, { previousKeyValidSeconds: 0 });
    await endFormer(third);
    const log = await auditLogOf(dashboard, paymasterId);
    const until = expect.stringMatching(/^\d{4}-.*Z$/);
    const rotation = {
      ...{ subject: 'apiKey', subjectId: paymasterId, action: 'updated' },
      ...{ before: { previousKeyValidUntil: null }, after: { previousKeyValidUntil: until } },
    };
    expect(log).toMatchObject([
      { ...rotation, version: 2 },
      { ...rotation, version: 3 },
      { ...rotation, version: 4, before: { formerKeysValidUntil: [until] }, after: { formerKeysValidUntil: [] } },
    ]);
    for (const apiKey of [keys.apiKey, second, third]) {
      expect(JSON.stringify(log)).not.toContain(apiKey);
      expect(JSON.stringify(log)).not.toContain(apiKeyIndex(apiKey, INDEX_KEY));
    }
  });

  it('is never a key in clear, in no table and in no log line', async () => {
    const lines: unknown[] = [];
    const methods = ['log', 'warn', 'error', 'debug', 'verbose'] as const;
    const spies = methods.map((method) => jest.spyOn(Logger.prototype, method).mockImplementation((...line: unknown[]) => void lines.push(line))); // prettier-ignore
    let second: string;
    try {
      second = await rotate(keys.apiKey);
      await rotateWith(keys);
      await ownerOf(keys.apiKey);
      await ownerOf(second);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    const rows = await query(`SELECT to_json(p) FROM dashboard.paymasters p WHERE id = $1
      UNION ALL SELECT to_json(f) FROM dashboard.former_api_keys f WHERE paymaster_id = $1`, [paymasterId]); // prettier-ignore
    expect(rows).toHaveLength(2);
    expect(lines.length).toBeGreaterThan(0);
    for (const apiKey of [keys.apiKey, second]) expect(JSON.stringify([rows, lines])).not.toContain(apiKey);
  });

  it('is forgotten when a key has ended, though nobody writes the paymaster', async () => {
    await rotate(keys.apiKey);
    await dashboard.app.get(Retention).forget();
    expect(await rowsOf(keys.apiKey)).toHaveLength(1);
    await passTheEnd();
    await dashboard.app.get(Retention).forget();
    expect(await rowsOf(keys.apiKey)).toEqual([]);
  });
});

it('a key is looked up by indexes alone, however many there are', async () => {
  await query(
    `INSERT INTO dashboard.paymasters
     SELECT r.* FROM generate_series(1, 2000) n, (SELECT * FROM dashboard.paymasters LIMIT 1) p,
       jsonb_populate_record(NULL::dashboard.paymasters, to_jsonb(p) || jsonb_build_object(
         'id', gen_random_uuid(), 'name', 'row ' || n, 'api_key_index', md5('a' || n) || md5('b' || n))) r`,
  );
  await query(
    `INSERT INTO dashboard.former_api_keys
     SELECT md5('c' || n) || md5('d' || n), p.id, '', now() + interval '1 day'
       FROM generate_series(1, 2000) n, (SELECT id FROM dashboard.paymasters LIMIT 1) p`,
  );
  await query('ANALYZE dashboard.paymasters, dashboard.former_api_keys');
  const indexes = [INDEX_KEY, '55'.repeat(32)].map((key) => apiKeyIndex(keys.apiKey, key));
  const isThere = `SELECT * FROM dashboard.paymasters WHERE id = ${paymasterOfKey(`'{${indexes.join()}}'`)}`;
  const plan = await query(`EXPLAIN ${isThere}`);
  expect(JSON.stringify(plan)).not.toContain('Seq Scan');
  expect(JSON.stringify(plan)).toContain('former_api_keys_pkey');
});

describe('a revoked auth token', () => {
  it('opens nothing, also together with a key that works', async () => {
    const accounts = dashboard.app.get(AccountsService);
    const { tokenId } = (await accounts.authenticate(keys.authToken))!;
    expect(await accounts.revokeToken(tokenId)).toBe(true);
    expect(await dashboard.call({ method: 'GET', path: '/funding-message', ...keys })).toMatchObject({ status: 401 });
  });
});
