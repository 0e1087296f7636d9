import type { KeyGrant } from '@paymaster/domain';
import { randomAddress, until } from '@paymaster/domain/testing';
import { apiKeyIndex } from '@paymaster/messaging';
import { Client } from 'pg';
import { isApiKeyShaped } from '../../platform/crypto/api-key';
import { ApiKeyCipher } from '../../platform/crypto/api-key-cipher';
import { renewIndex } from '../../platform/crypto/renew-api-keys';
import { countApiKeys, rewriteApiKeys } from '../../platform/crypto/rewrite-api-keys';
import { PolicySnapshotsRepository } from '../../outbound/policy-snapshots/policy-snapshots.repository';
import { auditLogOf } from '../../testing/audit-log-of';
import {
  CHAIN_ID,
  databaseOf,
  INDEX_KEY,
  startDashboard,
  type DashboardUnderTest,
  type TestAnswer,
} from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { createPaymaster, paymasterIdOf, type Keys } from '../../testing/requests';

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

const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<TestAnswer> =>
  dashboard.call({ method, path, ...keys, body });
const query = <T>(text: string, values?: unknown[]): Promise<T[]> => databaseOf(dashboard).query(text, values);
const list = async () => (await send('GET', '/keys')).body.data as unknown as Record<string, unknown>[];

interface Created {
  readonly keyId: string;
  readonly apiKey: string;
}

async function create(body: object = {}): Promise<Created> {
  const answer = await send('POST', '/keys', { name: 'web app', kind: 'PUBLISHABLE', ...body });
  expect(answer.body).toMatchObject({ statusCode: 200, message: 'Key created' });
  return answer.body.data as unknown as Created;
}

async function rotate({ keyId }: Created, body?: object): Promise<Created> {
  const answer = await send('POST', `/keys/${keyId}/rotate`, body);
  expect(answer.body).toMatchObject({ statusCode: 200, message: 'Key rotated' });
  return answer.body.data as unknown as Created;
}

async function rulesPolicy(): Promise<string> {
  const body = { name: 'rules', policyType: 'RULES', policyData: {} };
  return String((await send('POST', '/paymaster-policy', body)).body.data?.['_id']);
}

const NO_TERMS = {
  ...{ allowedOrigins: null, allowedNetworks: null, allowedSenders: null, allowedMethods: null, policyIds: null },
  limits: null,
  sessionRequired: false,
  bundler: 'any',
};

describe('a named key', () => {
  it('works at gateways, with what it may do, and its paymaster is the same', async () => {
    const sender = randomAddress();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const policyId = await rulesPolicy();
    const terms = {
      allowedOrigins: ['https://app.example.org'],
      allowedNetworks: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
      allowedSenders: [sender],
      allowedMethods: ['pm_getPaymasterData'],
      policyIds: [policyId],
      sessionRequired: true,
      bundler: 'sponsored',
    };
    const limits = [
      { scope: 'KEY', measure: 'WEI', amount: '1000000000000000000000', cycle: 'DAY' },
      { scope: 'USER', measure: 'COUNT', amount: 5, cycle: 'LIFETIME' },
    ];
    const sent = { ...terms, allowedSenders: [sender.toUpperCase().replace('0X', '0x'), sender] };
    const { keyId, apiKey } = await create({ ...sent, limits, expiresAt });
    expect(isApiKeyShaped(apiKey)).toBe(true);
    const snapshot = await gateway.resolve(apiKey);
    const granted = [
      { ...limits[0], id: 'KEY-WEI-DAY', amount: 10n ** 21n },
      { ...limits[1], id: 'USER-COUNT-LIFETIME', amount: 5n },
    ];
    const key = {
      keyId,
      kind: 'PUBLISHABLE',
      ...terms,
      limits: granted,
      expiresAtMs: Date.parse(expiresAt),
    } as unknown as KeyGrant;
    expect(snapshot).toEqual({ ...(await gateway.resolve(keys.apiKey)), key });
  });

  it('leaves the paymaster’s own key as it is: without any narrowing', async () => {
    await create({ allowedMethods: ['pm_getPaymasterData'] });
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ paymasterId, key: null });
  });

  it('is unknown to a gateway that would not keep to what it may do', async () => {
    const { apiKey } = await create();
    const question = { chainId: CHAIN_ID, indexes: [apiKeyIndex(apiKey, INDEX_KEY)] };
    const snapshots = dashboard.app.get(PolicySnapshotsRepository);
    expect(await snapshots.find(question)).toBeNull();
    expect(await snapshots.confirm({ ...question, known: { paymasterId, version: 2 } })).toBeNull();
    expect((await snapshots.find({ ...question, namedKeys: true }))?.policy).toMatchObject({ paymasterId });
  });

  it('names no paymaster in REST: who has it reads and changes nothing', async () => {
    const { apiKey } = await create({ kind: 'SECRET' });
    for (const path of ['/keys', '/paymaster-settings', '/funding-message']) {
      const answer = await dashboard.call({ method: 'GET', path, ...keys, apiKey });
      expect(answer).toMatchObject({ status: 404, body: { message: 'User not found' } });
    }
  });

  it('is shown once: the list has what it may do, and not its text', async () => {
    const { apiKey, keyId } = await create({ name: ' web  app ' });
    const shown = await list();
    expect(shown).toEqual([
      {
        ...{ keyId, name: 'web  app', kind: 'PUBLISHABLE', ...NO_TERMS, expiresAt: null },
        ...{ createdAt: expect.any(String), lastUsedAt: null, formerKeysValidUntil: [] },
      },
    ]);
    const rows = await query(
      `SELECT k.*, t.* FROM dashboard.named_keys k JOIN dashboard.named_key_texts t ON t.key_id = k.id`,
    );
    const everything = JSON.stringify([shown, rows, await auditLogOf(dashboard, paymasterId)]);
    expect(everything).not.toContain(apiKey);
    expect(JSON.stringify(await auditLogOf(dashboard, paymasterId))).not.toContain(apiKeyIndex(apiKey, INDEX_KEY));
  });

  it('is known by when it was last used', async () => {
    const { apiKey } = await create();
    await gateway.resolve(apiKey);
    await until(async () => (await list())[0]?.['lastUsedAt'] !== null);
    expect(Math.abs(Date.parse(String((await list())[0]?.['lastUsedAt'])) - Date.now())).toBeLessThan(60_000);
  });

  it('changes at once, in what was sent only, and the gateways are told', async () => {
    const { apiKey, keyId } = await create({ allowedMethods: ['pm_getPaymasterData'], allowedNetworks: ['::1'] });
    const expiresAt = '2999-12-31T23:59:59.000Z';
    const answer = await send('PATCH', `/keys/${keyId}`, { name: 'shop', allowedNetworks: null, expiresAt });
    expect(answer.body).toMatchObject({ message: 'Key updated', data: { keyId, name: 'shop', expiresAt } });
    expect((await gateway.resolve(apiKey))?.key).toMatchObject({
      ...{ allowedMethods: ['pm_getPaymasterData'], allowedNetworks: null, expiresAtMs: Date.parse(expiresAt) },
    });
    await until(() => gateway.versionsHeardOf(paymasterId).length === 2);
    expect(await auditLogOf(dashboard, paymasterId)).toMatchObject([
      { subject: 'apiKey', subjectId: keyId, action: 'created', before: null },
      { action: 'updated', before: { name: 'web app' }, after: { name: 'shop', allowedNetworks: null, expiresAt } },
    ]);
  });

  it('stores no use of the bundlers that narrows nothing: an older dashboard sends what is stored to older gateways', async () => {
    const { apiKey, keyId } = await create({ bundler: 'off' });
    const stored = async () => (await query<{ terms: object }>('SELECT terms FROM dashboard.named_keys WHERE id = $1', [keyId]))[0]?.terms; // prettier-ignore
    expect(await stored()).toMatchObject({ bundler: 'off' });
    expect((await send('PATCH', `/keys/${keyId}`, { name: 'shop' })).body.data).toMatchObject({ bundler: 'off' });
    expect((await gateway.resolve(apiKey))?.key).toMatchObject({ bundler: 'off' });
    expect((await send('PATCH', `/keys/${keyId}`, { bundler: 'any' })).body.data).toMatchObject({ bundler: 'any' });
    expect(await stored()).not.toHaveProperty('bundler');
    expect((await gateway.resolve(apiKey))?.key).toMatchObject({ bundler: 'any' });
  });

  it('ends at once when it is deleted, with its former texts', async () => {
    const first = await create();
    const second = await rotate(first);
    expect((await send('DELETE', `/keys/${first.keyId}`)).body).toEqual({ statusCode: 200, message: 'Key deleted' });
    expect([await gateway.resolve(first.apiKey), await gateway.resolve(second.apiKey)]).toEqual([undefined, undefined]);
    expect(await list()).toEqual([]);
    expect((await send('DELETE', `/keys/${first.keyId}`)).status).toBe(404);
  });
});

describe('rotating a named key', () => {
  it('lets both texts work until the one before ends, by the clock of the database', async () => {
    const first = await create({ allowedMethods: ['pm_getPaymasterData'] });
    const second = await rotate(first, { previousKeyValidSeconds: 3_600 });
    expect(second.apiKey).not.toBe(first.apiKey);
    const [former, current] = [await gateway.resolve(first.apiKey), await gateway.resolve(second.apiKey)];
    expect(current?.key).toMatchObject({ keyId: first.keyId, expiresAtMs: null });
    const { expiresAtMs, ...same } = former?.key ?? {};
    expect(current?.key).toMatchObject(same);
    // The gateway's clock ends it too.
    expect(Math.abs(Number(expiresAtMs) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    await query(`UPDATE dashboard.named_key_texts SET valid_until = now() - interval '1 ms' WHERE valid_until > now()`);
    expect([await gateway.resolve(first.apiKey), (await gateway.resolve(second.apiKey))?.paymasterId]).toEqual([
      ...[undefined, paymasterId],
    ]);
  });

  it('ends a leaked text and all before it at once when asked to', async () => {
    const first = await create();
    const second = await rotate(first);
    const third = await rotate(second, { previousKeyValidSeconds: 0 });
    const known = await Promise.all([first, second, third].map(({ apiKey }) => gateway.resolve(apiKey)));
    expect(known.map((snapshot) => snapshot?.paymasterId)).toEqual([undefined, undefined, paymasterId]);
  });

  it('lets three former texts work, refuses a fourth and changes nothing then', async () => {
    const all = [await create()];
    for (let times = 0; times < 3; times++) all.push(await rotate(all.at(-1) as Created));
    const refused = await send('POST', `/keys/${all[0]?.keyId}/rotate`);
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^A key can have at most 3 /) },
    });
    for (const { apiKey } of all) expect(await gateway.resolve(apiKey)).toMatchObject({ paymasterId });
    expect((await list())[0]?.['formerKeysValidUntil']).toHaveLength(3);
  });

  it('survives many at once: every answered text works, or was refused', async () => {
    const key = await create();
    const answers = await Promise.all(Array.from({ length: 6 }, () => send('POST', `/keys/${key.keyId}/rotate`)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(3);
    for (const { body } of done)
      expect(await gateway.resolve(String(body.data?.['apiKey']))).toMatchObject({ paymasterId });
  });
});

describe('the commands that renew what is stored of keys', () => {
  it('find named keys: such a key works again under the newest index', async () => {
    const { apiKey, keyId } = await create();
    const former = await create({ name: 'rotated' });
    await rotate(former);
    for (const each of [apiKey, former.apiKey]) {
      await query('UPDATE dashboard.named_key_texts SET api_key_index = $2 WHERE api_key_index = $1', [
        ...[INDEX_KEY, '77'.repeat(32)].map((key) => apiKeyIndex(each, key)),
      ]);
    }
    expect([await gateway.resolve(apiKey), await gateway.resolve(former.apiKey)]).toEqual([undefined, undefined]);

    const client = new Client({ connectionString: dashboard.postgres.url });
    await client.connect();
    const cipher = new ApiKeyCipher({ apiKeyEncryptionKey: '22'.repeat(32) });
    const renew = renewIndex(cipher, INDEX_KEY);
    const run = () => rewriteApiKeys({ client, renew, batchSize: 2, checkOnly: false, onBatch: () => undefined });
    const first = await run();
    expect(first).toMatchObject({ seen: await countApiKeys(client), behind: 2, unreadable: [] });
    expect(await run()).toMatchObject({ behind: 0 });
    await client.end();
    expect((await gateway.resolve(apiKey))?.key).toMatchObject({ keyId });
    expect((await gateway.resolve(former.apiKey))?.key).toMatchObject({ keyId: former.keyId });
  });
});

describe('what is refused, and changes nothing', () => {
  const LIMIT = { scope: 'KEY', measure: 'COUNT', amount: 5, cycle: 'DAY' };
  const past = '2025-01-31T12:00:00.000Z';
  it.each<[object, string]>([
    [{ name: '' }, 'name must be 1 to 100 characters long'],
    [{ name: null }, 'name must be a string'],
    [{ kind: 'PUBLIC' }, 'kind must be one of the following values: SECRET, PUBLISHABLE'],
    [{ kind: undefined }, 'kind must be one of the following values: SECRET, PUBLISHABLE'],
    [{ allowedOrigins: [] }, 'allowedOrigins should not be empty'],
    [{ allowedOrigins: ['*'] }, 'allowedOrigins must not contain *: leave it out for any origin'],
    [
      { kind: 'SECRET', allowedOrigins: ['https://app.example.org'] },
      'allowedOrigins is for keys of kind PUBLISHABLE: a secret key must not be in a page',
    ],
    [{ allowedOrigins: 'https://app.example.org' }, 'allowedOrigins must be an array'],
    [{ allowedNetworks: ['203.0.113.0/33'] }, 'each value in allowedNetworks must be an IPv4 or IPv6 address or a block of them, such as 203.0.113.0/24'], // prettier-ignore
    [
      { allowedSenders: [`0x${'1'.repeat(40)}`, '0xE31b0BcBda693bfF2529F4a1d9f7e8f6D924C6Ab'] },
      'allowedSenders.1 has a wrong checksum (EIP-55): check its digits, or send it in lower case',
    ],
    [{ allowedSenders: ['0x1'] }, 'each value in allowedSenders must be an address: 0x and 40 hexadecimal digits'],
    [
      { allowedSenders: Array(101).fill(`0x${'1'.repeat(40)}`) },
      'allowedSenders must contain no more than 100 elements',
    ],
    [{ allowedMethods: ['eval()'] }, 'each value in allowedMethods must be the name of a method'],
    [{ bundler: 'metered' }, 'bundler must be one of the following values: off, sponsored, any'],
    [{ bundler: null }, 'bundler must be one of the following values: off, sponsored, any'],
    [{ policyIds: ['7ea9dae1-9a06-4c17-a4fb-7728177b76d3'] }, 'policyIds must be those of policies of type RULES'],
    [{ policyIds: ['x'] }, 'each value in policyIds must be a UUID'],
    [{ expiresAt: past }, 'expiresAt must be a time to come; to end the key now, delete it'],
    [{ expiresAt: '2999-13-01T00:00:00Z' }, 'expiresAt must be a time to come; to end the key now, delete it'],
    [{ expiresAt: 32503680000 }, 'expiresAt must be a time in UTC, such as 2030-01-31T12:00:00Z'],
    [{ limits: [] }, 'limits should not be empty'],
    [
      { limits: [{ ...LIMIT, measure: 'EUR' }] },
      'limits.0: measure must be one of the following values: WEI, USD, COUNT',
    ],
    [{ limits: [{ ...LIMIT, cycle: undefined }] }, expect.stringMatching(/^limits.0: cycle must be one of/)],
    [
      { limits: [{ ...LIMIT, amount: 0 }] },
      expect.stringMatching(/^limits.0: amount must be a whole number of operations/),
    ],
    [{ limits: [{ ...LIMIT, of: 'all' }] }, expect.stringContaining('of should not exist')],
    [
      { limits: [LIMIT, { ...LIMIT, amount: 7 }] },
      'limits: two limits must not have the same scope, measure and cycle',
    ],
    [{ limits: Array(11).fill(LIMIT) }, 'limits must contain no more than 10 elements'],
    [{ allowedOrigin: ['https://app.example.org'] }, 'property allowedOrigin should not exist'],
  ])('%j: %s', async (body, message) => {
    const answer = await send('POST', '/keys', { name: 'web app', kind: 'PUBLISHABLE', ...body });
    expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, message } });
    expect(await list()).toEqual([]);
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 1 });
  });

  it('a name that another key of the paymaster has', async () => {
    await create();
    const other = await create({ name: 'other' });
    const exists = { status: 400, body: { message: 'Key name already exists' } };
    expect(await send('POST', '/keys', { name: 'web app', kind: 'SECRET' })).toMatchObject(exists);
    expect(await send('PATCH', `/keys/${other.keyId}`, { name: 'web app' })).toMatchObject(exists);
  });

  it('the 21st key, also of many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) => send('POST', '/keys', { name: `key ${at}`, kind: 'SECRET' })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(await list()).toHaveLength(20);
  });

  it('a publishable key never becomes a secret one', async () => {
    const { keyId } = await create();
    const answer = await send('PATCH', `/keys/${keyId}`, { kind: 'SECRET' });
    expect(answer).toMatchObject({ status: 400, body: { message: 'property kind should not exist' } });
  });

  it('keeps a policy that was deleted in the list, so that the key does not grow by it', async () => {
    const policyId = await rulesPolicy();
    const { apiKey, keyId } = await create({ policyIds: [policyId] });
    await send('DELETE', `/paymaster-policy/${policyId}`);
    expect((await gateway.resolve(apiKey))?.key?.policyIds).toEqual([policyId]);
    expect((await send('PATCH', `/keys/${keyId}`, { name: 'renamed' })).status).toBe(200);
  });
});
