import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomAddress } from '@paymaster/domain/testing';
import { hashSecret } from '../../platform/crypto/secret-text';
import {
  databaseOf,
  startDashboard,
  type DashboardUnderTest,
  type TestAnswer,
} from '../../testing/dashboard-under-test';
import { createPaymaster, type Keys, refusal } from '../../testing/requests';
import { HOUR_MS } from './policy-data/cycle-limit.data';

type Record_ = Readonly<Record<string, unknown>>;

let dashboard: DashboardUnderTest;
let keys: Keys;
beforeAll(async () => {
  dashboard = await startDashboard();
});
beforeEach(async () => (keys = await createPaymaster(dashboard)));
afterAll(() => dashboard.stop());

const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', body?: object, by = keys): Promise<TestAnswer> =>
  dashboard.call({ method, path: `/paymaster-policy${path}`, ...by, body });
const list = async (by = keys) => (await send('GET', '', undefined, by)).body.data as unknown as Record_[];
const LIMIT = {
  name: 'paymaster limit',
  policyType: 'PAYMASTER_SA_LIMIT',
  policyData: { type: 'PAYMASTER', cycleDuration: { value: 3, unit: 'hour' }, threshold: 10, thresholdType: 'COUNT' },
};

async function create(body: object = LIMIT, by = keys): Promise<Record_> {
  const answer = await send('POST', '', body, by);
  expect(answer.body.message).toBe('Paymaster Policy created successfully');
  return answer.body.data ?? {};
}
const idOf = (policy: Record_): string => String(policy['_id']);
const dataOf = (policy: Record_ | undefined) => (policy?.['policyData'] ?? {}) as Record_;

describe('a limit', () => {
  it('changes only what is sent, also when two changes come at once', async () => {
    const id = idOf(await create());
    await Promise.all([
      send('PATCH', `/limit/${id}`, { threshold: 7 }),
      send('PATCH', `/limit/${id}`, { cycleDuration: { value: 2, unit: 'day' } }),
      send('PATCH', `/limit/${id}`, { name: 'renamed' }),
    ]);
    const [policy] = await list();
    expect(policy).toMatchObject({ name: 'renamed', active: true });
    expect(dataOf(policy)).toMatchObject({ threshold: 7, thresholdType: 'COUNT', durationInMs: 48 * HOUR_MS });
  });

  it('starts a new cycle when it is edited, and goes on when it is renamed, paused or sent again as it is', async () => {
    const policy = await create();
    const id = idOf(policy);
    const start = () => list().then(([each]) => Number(dataOf(each)['startTimeInEpoch']));
    const began = Number(dataOf(policy)['startTimeInEpoch']);
    await send('PATCH', `/limit/${id}`, { name: 'another name' });
    await send('PATCH', `/deactivate/${id}`);
    await send('PATCH', `/activate/${id}`);
    await send('PATCH', `/limit/${id}`, { threshold: '10', thresholdType: 'COUNT' });
    await send('PATCH', `/${id}`, { policyData: LIMIT.policyData });
    expect(await start()).toBe(began);
    await send('PATCH', `/limit/${id}`, { threshold: 11 });
    const second = await start();
    expect(second).toBeGreaterThan(began);
    await send('PATCH', `/${id}`, { policyData: { ...LIMIT.policyData, type: 'SMART_ACCOUNT' } });
    expect(await start()).toBeGreaterThan(second);
  });

  it('is refused as a whole when what is left does not fit what is sent', async () => {
    const data = { ...LIMIT.policyData, thresholdType: 'NATIVE_ASSET', threshold: 0.5 };
    const policy = await create({ ...LIMIT, policyData: data });
    const answer = await send('PATCH', `/limit/${idOf(policy)}`, { thresholdType: 'COUNT' });
    expect(answer.body).toEqual(
      refusal(
        400,
        'INVALID_BODY',
        'threshold must be a whole number of operations, above zero; as text where it has more than 15 digits',
      ),
    );
    expect(await list()).toEqual([policy]);
  });

  it.each([0.1, '0.1', '0.123456789012345678', 1e-18, 123456789012345])(
    'keeps the threshold %s exactly',
    async (threshold) => {
      const policyData = { ...LIMIT.policyData, thresholdType: 'NATIVE_ASSET', threshold };
      const policy = await create({ ...LIMIT, policyData });
      expect(String(Number(dataOf(policy)['threshold']))).toBe(String(Number(threshold)));
      expect(await list()).toEqual([policy]);
    },
  );
});

describe('a version', () => {
  const conflict = (version: number) => ({
    status: 409,
    body: refusal(
      409,
      'VERSION_CONFLICT',
      `expectedVersion is not that of the policy, which has changed meanwhile: it is at version ${version}`,
    ),
  });

  it('lets one of two through who edit the same one, and grows with every change', async () => {
    const policy = await create();
    const id = idOf(policy);
    expect(policy).not.toHaveProperty('version');
    const answers = await Promise.all(
      ['first', 'second'].map((name) => send('PATCH', `/${id}`, { name, expectedVersion: 1 })),
    );
    expect(answers.find(({ status }) => status === 200)?.body.data).toMatchObject({ version: 2 });
    expect(answers.find(({ status }) => status !== 200)).toMatchObject(conflict(2));
    await send('PATCH', `/deactivate/${id}`);
    await send('PATCH', `/limit/${id}`, { threshold: 3 });
    expect(await list()).toEqual([expect.not.objectContaining({ version: expect.anything() })]);
    const versions = async () => (await send('GET', '?versions=true')).body.data;
    const before = await versions();
    expect(before).toMatchObject([{ version: 4 }]);
    expect(await send('PATCH', `/${id}`, { policyData: LIMIT.policyData, expectedVersion: 3 })).toMatchObject(
      conflict(4),
    );
    expect(await versions()).toEqual(before);
  });

  it.each([0, '1', 1.5, null])('that is %j is refused by its name', async (expectedVersion) => {
    const id = idOf(await create());
    const answer = await send('PATCH', `/${id}`, { name: 'x', expectedVersion });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^expectedVersion must /) } });
  });
});

describe('the policy in the README', () => {
  it('is one that can be created', async () => {
    const readme = readFileSync(join(__dirname, '../../../../../README.md'), 'utf8');
    const [, text = ''] = /\/\/ POST \/paymaster-policy[^\n]*\n([^`]*)```/.exec(readme) ?? [];
    const policy = await create(JSON.parse(text) as object);
    expect(policy).toMatchObject({ policyType: 'RULES', active: true });
  });
});

describe('policies', () => {
  it('refuse one too many, also when they come together', async () => {
    const { paymasterId } = await create();
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.policies (id, paymaster_id, created_by, name, policy_type, active, policy_data)
       SELECT gen_random_uuid(), id, account_id, 'n', 'WALLET_DEPLOYMENT', true, '{"operator":"walletDeployment"}'
       FROM dashboard.paymasters, generate_series(1, 47) WHERE id = $1`,
      [paymasterId],
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => send('POST', '', LIMIT)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(4);
    expect(refused[0]?.body).toEqual(refusal(400, 'LIMIT_REACHED', 'A paymaster can have at most 50 policies'));
    expect(await list()).toHaveLength(50);
  });

  it('refuse more bytes than travel to the gateway, paused ones included', async () => {
    const rules = () => ({
      name: 'long list',
      policyType: 'RULES',
      policyData: { senders: { deny: Array.from({ length: 900 }, () => randomAddress()) } },
    });
    const id = idOf(await create(rules()));
    await send('PATCH', `/deactivate/${id}`);
    await create(rules());
    const refused = await send('POST', '', rules());
    expect(refused.body).toEqual(
      refusal(400, 'LIMIT_REACHED', 'policyData: all policies of a paymaster can have at most 96000 bytes'),
    );
    expect(await list()).toHaveLength(2);
  });

  it('look unknown to every other paymaster, in every operation', async () => {
    const other = await createPaymaster(dashboard);
    const policy = await create(LIMIT, other);
    const id = idOf(policy);
    const notFound = refusal(404, 'POLICY_NOT_FOUND', 'Paymaster Policy not found');
    for (const each of [id, id.toUpperCase(), '00000000-0000-4000-8000-000000000000', 'x', '%00', "' OR 1=1--"]) {
      const path = encodeURI(each).replace('%2500', '%00');
      for (const answer of [
        await send('GET', `/${path}`),
        await send('GET', `/${path}/history`),
        await send('PATCH', `/${path}`, { name: 'mine' }),
        await send('PATCH', `/limit/${path}`, { threshold: 1 }),
        await send('PATCH', `/activate/${path}`),
        await send('PATCH', `/deactivate/${path}`),
        await send('DELETE', `/${path}`),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: notFound });
      }
    }
    expect(await list(other)).toEqual([policy]);
    expect(await list()).toEqual([]);
  });

  it('answer a body that is made to confuse with 400, never 500', async () => {
    for (const policyData of [
      { constructor: 5 },
      { x: { constructor: { name: 1 } } },
      { ...LIMIT.policyData, thresholdType: { toString: 1 } },
      { ...LIMIT.policyData, cycleDuration: { value: 1, unit: { toString: null } } },
    ]) {
      expect((await send('POST', '', { ...LIMIT, policyData })).status).toBe(400);
    }
    for (const policyType of ['__proto__', 'constructor', 'toString', { toString: 1 }]) {
      expect((await send('POST', '', { ...LIMIT, policyType })).status).toBe(400);
    }
    const extra = await dashboard.call({
      method: 'POST',
      path: '/paymaster',
      ...keys,
      body: { x: { constructor: 5 } },
    });
    expect(extra.status).toBe(400);
  });
});

describe('the history of a policy', () => {
  it('says who changed what and when, newest first, also after the policy is deleted', async () => {
    const id = idOf(await create());
    await send('PATCH', `/limit/${id}`, { name: 'renamed' });
    await send('PATCH', `/activate/${id}`);
    await send('PATCH', `/deactivate/${id}`);
    await send('DELETE', `/${id}`);
    expect((await send('GET', `/${id}`)).status).toBe(404);
    const { body } = await send('GET', `/${id}/history`);
    expect(body.message).toBe('Paymaster Policy history found!');
    const history = body.data as unknown as Record_[];
    expect(history.map(({ action, version }) => [action, version])).toEqual([
      ['deleted', 6],
      ['updated', 5],
      ['updated', 3],
      ['created', 2],
    ]);
    expect(history).toMatchObject([
      { before: { name: 'renamed', active: false }, after: null },
      { before: { active: true }, after: { active: false } },
      { before: { name: 'paymaster limit' }, after: { name: 'renamed' } },
      { before: null, after: { name: 'paymaster limit', policyData: { threshold: 10 } } },
    ]);
    const [account] = await databaseOf(dashboard).query(
      `SELECT account_id, left(id::text, 8) AS prefix FROM dashboard.auth_tokens WHERE token_hash = $1`,
      [hashSecret(keys.authToken)],
    );
    for (const { accountId, tokenIdPrefix, at } of history) {
      expect({ accountId, tokenIdPrefix }).toEqual({ accountId: account.account_id, tokenIdPrefix: account.prefix });
      expect(Math.abs(Date.parse(String(at)) - Date.now())).toBeLessThan(60_000);
    }
  });

  it('comes in pages of 50', async () => {
    const id = idOf(await create());
    for (let change = 0; change < 52; change++) await send('PATCH', `/limit/${id}`, { name: `name ${change}` });
    const page = async (query: string) =>
      (await send('GET', `/${id}/history${query}`)).body.data as unknown as Record_[];
    const first = await page('');
    expect(first).toHaveLength(50);
    const second = await page(`?beforeVersion=${String(first.at(-1)?.['version'])}`);
    expect(second.map(({ version }) => version)).toEqual([4, 3, 2]);
    expect(await page('?beforeVersion=2')).toEqual([]);
    expect((await send('GET', `/${id}/history?beforeVersion=x`)).body).toEqual(
      refusal(400, 'INVALID_BODY', 'beforeVersion must be a whole number'),
    );
  });

  it('cannot be rewritten, not even in the database', async () => {
    await create();
    for (const statement of [
      `UPDATE dashboard.audit_log SET after = '{}'`,
      `DELETE FROM dashboard.audit_log`,
      `TRUNCATE dashboard.audit_log`,
    ]) {
      await expect(databaseOf(dashboard).query(statement)).rejects.toThrow('audit_log is append-only');
    }
  });
});
