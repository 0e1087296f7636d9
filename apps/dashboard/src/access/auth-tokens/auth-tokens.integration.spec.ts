import { randomUUID } from 'node:crypto';
import { databaseOf, startDashboard, type DashboardUnderTest, type TestCall } from '../../testing/dashboard-under-test';
import { fromPage, signedInMember, type TestMember } from '../../testing/people';
import { paymasterBody, paymasterIdOf, refusal } from '../../testing/requests';

let dashboard: DashboardUnderTest;
let owner: TestMember;
/** Two paymasters of the account. */
let own: { apiKey: string; paymasterId: string };
let other: { apiKey: string; paymasterId: string };

beforeAll(async () => {
  dashboard = await startDashboard();
  owner = await signedInMember(dashboard, 'the account', 'owner');
  [own, other] = [await newPaymaster(), await newPaymaster()];
});
afterAll(() => dashboard.stop());

const page = (method: TestCall['method'], path: string, body?: object) =>
  dashboard.call({ method, path, headers: fromPage(owner.cookie, owner.accountId), body });

async function newPaymaster() {
  const { data } = (await page('POST', '/paymaster', paymasterBody())).body;
  const apiKey = String(data?.['apiKey']);
  return { apiKey, paymasterId: await paymasterIdOf(dashboard, { apiKey }) };
}

async function create(body: object): Promise<{ authToken: string; tokenId: string }> {
  const { status, body: answer } = await page('POST', '/auth-tokens', body);
  expect({ status, answer }).toMatchObject({ status: 200 });
  return answer.data as { authToken: string; tokenId: string };
}

const call = (method: TestCall['method'], path: string, sent: Partial<TestCall>) =>
  dashboard.call({ method, path, ...sent });

describe('auth tokens', () => {
  it('are made with name, scope and end, shown once, listed and revoked', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const wish = { name: 'CI', scope: 'read', paymasterId: own.paymasterId, expiresAt };
    const { authToken, ...listed } = await create(wish);
    expect(authToken).toMatch(/^pm_auth_/);
    expect(listed).toEqual({
      ...{ ...wish, tokenId: expect.any(String), createdAt: expect.any(String), createdBy: owner.personId },
      lastUsedAt: null,
    });
    const find = async () => {
      const all = (await page('GET', '/auth-tokens')).body.data as unknown as { tokenId: string }[];
      return all.find(({ tokenId }) => tokenId === listed.tokenId);
    };
    expect(await find()).toEqual(listed);
    const sent = { authToken, apiKey: own.apiKey };
    expect((await call('GET', '/paymaster-settings', sent)).status).toBe(200);
    expect(await find()).toMatchObject({ lastUsedAt: expect.any(String) });

    expect((await page('DELETE', `/auth-tokens/${listed.tokenId}`)).status).toBe(200);
    expect((await call('GET', '/paymaster-settings', sent)).body).toEqual(
      refusal(401, 'INVALID_AUTH_TOKEN', 'Invalid auth token'),
    );
    expect(await find()).toBeUndefined();
    const gone = refusal(404, 'AUTH_TOKEN_NOT_FOUND', 'Auth token not found');
    for (const id of [listed.tokenId, randomUUID(), 'x'])
      expect((await page('DELETE', `/auth-tokens/${id}`)).body).toEqual(gone);

    const log = await databaseOf(dashboard).query(
      `SELECT action, before, after, person_id AS "personId" FROM dashboard.audit_log WHERE subject_id = $1 ORDER BY id`,
      [listed.tokenId],
    );
    expect(log).toEqual([
      { action: 'created', before: null, after: wish, personId: owner.personId },
      { action: 'deleted', before: wish, after: null, personId: owner.personId },
    ]);
  });

  it('of the version before go on: they write, have a name and no end', async () => {
    const [token] = await databaseOf(dashboard).query(
      `INSERT INTO dashboard.auth_tokens (id, account_id, token_hash) VALUES (gen_random_uuid(), $1, $2)
       RETURNING name, scope, paymaster_id, expires_at`,
      [owner.accountId, 'a'.repeat(64)],
    );
    expect(token).toEqual({ name: 'auth token', scope: 'write', paymaster_id: null, expires_at: null });
  });

  it('end when their time is over', async () => {
    const { authToken, tokenId } = await create({ name: 'short', scope: 'write', expiresAt: '2099-01-31T12:00:00Z' });
    expect((await call('GET', '/paymaster', { authToken })).status).toBe(200);
    await databaseOf(dashboard).query('UPDATE dashboard.auth_tokens SET expires_at = now() WHERE id = $1', [tokenId]);
    expect((await call('GET', '/paymaster', { authToken })).body).toEqual({
      ...{ statusCode: 401, message: 'Invalid auth token' },
    });
  });

  it('that may only read do not write', async () => {
    const { authToken } = await create({ name: 'reader', scope: 'read' });
    expect((await call('GET', '/paymaster', { authToken })).status).toBe(200);
    const refused = { statusCode: 403, message: 'This auth token may only read' };
    expect((await call('POST', '/paymaster', { authToken, body: paymasterBody() })).body).toEqual(refused);
    const settings = { authToken, apiKey: own.apiKey, body: { explainToClients: true } };
    expect((await call('PATCH', '/paymaster-settings', settings)).body).toMatchObject({
      ...{ ...refused, reason: 'NOT_ALLOWED' },
    });
    // It would end the message that an owner is about to sign.
    expect((await call('GET', '/funding-message', { authToken, apiKey: own.apiKey })).body).toEqual(refused);
  });

  it('of one paymaster take the others for unknown, and reach nothing of the account', async () => {
    const { authToken } = await create({ name: 'one', scope: 'write', paymasterId: own.paymasterId });
    const settings = (headers: Partial<TestCall>) => call('GET', '/paymaster-settings', { authToken, ...headers });
    expect((await settings({ apiKey: own.apiKey })).status).toBe(200);
    expect((await settings({ headers: { paymasterId: own.paymasterId } })).status).toBe(200);
    const unknown = refusal(404, 'USER_NOT_FOUND', 'User not found');
    expect((await settings({ apiKey: other.apiKey })).body).toEqual(unknown);
    expect((await settings({ headers: { paymasterId: other.paymasterId } })).body).toEqual(unknown);
    const ofAccount = { statusCode: 403, message: 'This auth token is for one paymaster only' };
    expect((await call('GET', '/paymaster', { authToken })).body).toEqual(ofAccount);
    expect((await call('GET', '/shared-policy', { authToken })).body).toMatchObject(ofAccount);
  });

  it('administer nobody: a token that leaked makes no other tokens and invites nobody', async () => {
    const { authToken } = await create({ name: 'writer', scope: 'write' });
    const refused = refusal(403, 'NOT_ALLOWED', 'Only people may do this: sign in to the page');
    const tries: [TestCall['method'], string, object?][] = [
      ['POST', '/auth-tokens', { name: 'another', scope: 'write' }],
      ['POST', '/invitations', { role: 'owner' }],
      ['GET', '/members'],
      ['GET', '/auth-tokens'],
      ['PATCH', '/account', { name: 'mine' }],
    ];
    for (const [method, path, body] of tries)
      expect((await call(method, path, { authToken, body })).body).toEqual(refused);
  });

  it.each([
    ['scope must be one of the following values: read, write', { name: 'x', scope: 'admin' }],
    ['paymasterId must be that of a paymaster of this account', { paymasterId: randomUUID() }],
    ['paymasterId must be the id of a paymaster', { paymasterId: 'x' }],
    ['expiresAt must be a time to come', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['expiresAt must be a time in UTC', { expiresAt: 'tomorrow' }],
    ['name must be 1 to 100 characters long', { name: ' ' }],
    ['isAdmin', { isAdmin: true }],
  ])('are refused with a sentence: %s', async (problem, wrong) => {
    const { body } = await page('POST', '/auth-tokens', { name: 'x', scope: 'read', ...wrong });
    expect(body).toMatchObject({ statusCode: 400, message: expect.stringContaining(problem) });
  });

  it('are at most 100 of an account, also when two are asked for at once', async () => {
    const { accountId, cookie } = await signedInMember(dashboard, 'many tokens', 'owner');
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.auth_tokens (id, account_id, token_hash)
       SELECT gen_random_uuid(), $1, md5(n::text) || md5('x' || n) FROM generate_series(1, 99) n`,
      [accountId],
    );
    const body = { name: 'one more', scope: 'read' };
    const make = () => call('POST', '/auth-tokens', { headers: fromPage(cookie, accountId), body });
    const both = await Promise.all([make(), make()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe('the header paymasterId', () => {
  const settings = (sent: Partial<TestCall>) => call('GET', '/paymaster-settings', sent);

  it('names a paymaster in place of the apiKey, in any case', async () => {
    const authToken = (await create({ name: 'any', scope: 'read' })).authToken;
    for (const paymasterId of [own.paymasterId, own.paymasterId.toUpperCase()])
      expect((await settings({ authToken, headers: { paymasterId } })).status).toBe(200);
    const both = { authToken, apiKey: own.apiKey, headers: { paymasterId: own.paymasterId } };
    expect((await settings(both)).status).toBe(200);
  });

  it('is taken for unknown when it is none, another account’s, or another one than the apiKey’s', async () => {
    const authToken = (await create({ name: 'any', scope: 'read' })).authToken;
    const stranger = await dashboard.createToken('another account');
    const unknown = refusal(404, 'USER_NOT_FOUND', 'User not found');
    const tries: Partial<TestCall>[] = [
      { authToken, headers: { paymasterId: randomUUID() } },
      { authToken, headers: { paymasterId: 'x' } },
      { authToken, apiKey: own.apiKey, headers: { paymasterId: other.paymasterId } },
      { authToken: stranger, headers: { paymasterId: own.paymasterId } },
    ];
    for (const sent of tries) expect((await settings(sent)).body).toEqual(unknown);
  });

  it('rotates the key of a paymaster for a person who holds no key', async () => {
    const headers = { ...fromPage(owner.cookie, owner.accountId), paymasterId: own.paymasterId };
    const { body } = await call('POST', '/paymaster/rotate-key', { headers, body: {} });
    expect(body.data).toMatchObject({ paymasterId: own.paymasterId, apiKey: expect.any(String) });
  });
});

describe('a change that a person makes', () => {
  it('names the person in the audit log, and no token', async () => {
    const headers = { ...fromPage(owner.cookie, owner.accountId), paymasterId: own.paymasterId };
    const body = { explainToClients: true };
    expect((await call('PATCH', '/paymaster-settings', { headers, body })).status).toBe(200);
    const [entry] = await databaseOf(dashboard).query(
      `SELECT person_id, token_id_prefix FROM dashboard.audit_log WHERE subject = 'settings' AND paymaster_id = $1`,
      [own.paymasterId],
    );
    expect(entry).toEqual({ person_id: owner.personId, token_id_prefix: null });
  });
});
