import { randomUUID } from 'node:crypto';
import type { PolicySnapshot } from '@paymaster/domain';
import { databaseOf, CHAIN_ID, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { createPaymaster, paymasterBody, paymasterIdOf, refusal, type Keys } from '../../testing/requests';

interface Sharing extends Keys {
  readonly id: string;
  readonly chainId: number;
}

let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
let authToken: string;
/** Two paymasters of one account, on two chains. */
let here: Sharing;
let there: Sharing;
beforeAll(async () => {
  dashboard = await startDashboard();
  gateway = await ListeningGateway.connect(dashboard);
});
beforeEach(async () => {
  authToken = await dashboard.createToken(randomUUID());
  here = await addPaymaster(CHAIN_ID);
  there = await addPaymaster(CHAIN_ID + 1);
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
});

async function addPaymaster(chainId: number): Promise<Sharing> {
  const { body } = await dashboard.call({
    method: 'POST',
    path: '/paymaster',
    authToken,
    body: paymasterBody(chainId),
  });
  const keys = { authToken, apiKey: String(body.data?.['apiKey']) };
  return { ...keys, id: await paymasterIdOf(dashboard, keys), chainId };
}

const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', body?: object, by = authToken) =>
  dashboard.call({ method, path: `/shared-policy${path}`, authToken: by, body });
const limit = (changes: object = {}) => ({
  ...{ scope: 'PAYMASTER', measure: 'USD', amount: '100.5', cycle: 'MONTH' },
  ...changes,
});
const budget = (changes: object = {}) => ({
  ...{ name: 'all chains', policyType: 'SPENDING_LIMITS', policyData: { limits: [limit()] } },
  ...{ paymasterIds: [here.id, there.id], ...changes },
});
async function create(body: object = budget()): Promise<string> {
  const answer = await send('POST', '', body);
  expect(answer.body.message).toBe('Shared policy created');
  return String(answer.body.data?.['policyId']);
}
async function snapshot({ apiKey, chainId }: Sharing): Promise<PolicySnapshot> {
  const found = await gateway.resolve(apiKey, chainId);
  if (!found) throw new Error('the paymaster has no policy');
  return found;
}
const policiesOf = async (paymaster: Sharing) => (await snapshot(paymaster)).policies;
const refused = (message: string) => ({ status: 400, body: refusal(400, 'INVALID_BODY', message) });

describe('a shared policy', () => {
  it('changes for the first of two who edit it, and says to the second that it has changed', async () => {
    const policyId = await create();
    const rename = (name: string) => send('PATCH', `/${policyId}`, { name, expectedVersion: 1 });
    expect((await rename('first')).body.data).toMatchObject({ name: 'first', version: 2 });
    expect(await rename('second')).toMatchObject({ status: 409, body: { reason: 'VERSION_CONFLICT' } });
    expect((await send('GET')).body.data).toMatchObject([{ name: 'first', version: 2 }]);
  });

  it('reaches the gateways of all its paymasters at once, as one policy with one version', async () => {
    const policyId = await create();
    const shared = { policyId, name: 'all chains', type: 'SPENDING_LIMITS', sharedVersion: 1 };
    const limits = [
      { id: 'PAYMASTER-USD-MONTH', scope: 'PAYMASTER', measure: 'USD', amount: 100_500_000n, cycle: 'MONTH' },
    ];
    for (const paymaster of [here, there]) expect(await policiesOf(paymaster)).toEqual([{ ...shared, limits }]);
    const heard = gateway.heard.slice(-2);
    expect(heard.map(({ paymasterId }) => paymasterId).sort()).toEqual([here.id, there.id].sort());
    expect(heard.map(({ version }) => version)).toEqual([2, 2]);

    await send('PATCH', `/${policyId}`, { policyData: { limits: [limit({ amount: 7 })] } });
    for (const paymaster of [here, there]) {
      expect(await policiesOf(paymaster)).toMatchObject([{ sharedVersion: 2, limits: [{ amount: 7_000_000n }] }]);
    }
  });

  it('names paymasters by ids, which the account can look up', async () => {
    const policyId = await create(budget({ paymasterIds: [there.id] }));
    expect((await send('GET', '/paymasters')).body.data).toEqual([
      { paymasterId: here.id, name: expect.any(String), chainId: here.chainId, policyIds: [] },
      { paymasterId: there.id, name: expect.any(String), chainId: there.chainId, policyIds: [policyId] },
    ]);
  });

  it('is in force for the paymasters that it names, while it is active', async () => {
    const policyId = await create();
    const changed = await send('PATCH', `/${policyId}`, { paymasterIds: [there.id.toUpperCase(), there.id] });
    expect(changed.body.data).toMatchObject({ paymasterIds: [there.id] });
    expect(await snapshot(here)).toMatchObject({ version: 3, policies: [] });
    expect(await policiesOf(there)).toHaveLength(1);
    await send('PATCH', `/${policyId}`, { active: false });
    expect(await snapshot(here)).toMatchObject({ version: 3 });
    expect(await policiesOf(there)).toEqual([]);
    await send('PATCH', `/${policyId}`, { active: true, paymasterIds: [here.id] });
    expect(await policiesOf(here)).toMatchObject([{ sharedVersion: 4 }]);
    expect((await send('DELETE', `/${policyId}`)).body.message).toBe('Shared policy deleted');
    expect(await policiesOf(here)).toEqual([]);
    expect((await send('GET')).body.data).toEqual([]);
  });

  it('may sponsor, beside the paymaster’s own policies, and be the only one that a key may use', async () => {
    const policyId = await create(budget({ policyType: 'RULES', policyData: { priority: 3, limits: [limit()] } }));
    expect(await policiesOf(here)).toMatchObject([{ policyId, type: 'RULES', priority: 3, sharedVersion: 1 }]);
    const body = { name: 'app', kind: 'SECRET', policyIds: [policyId] };
    const path = '/keys';
    expect(await dashboard.call({ method: 'POST', path, ...here, body })).toMatchObject({ status: 200 });
    const budgetId = await create();
    const notRules = { ...body, name: 'other', policyIds: [budgetId] };
    expect(await dashboard.call({ method: 'POST', path, ...here, body: notRules })).toMatchObject(
      refused('policyIds must be those of policies of type RULES'),
    );
  });

  it('is shown in the history of each of its paymasters, also when it is gone', async () => {
    const policyId = await create();
    await send('PATCH', `/${policyId}`, { name: 'renamed', paymasterIds: [there.id] });
    await send('DELETE', `/${policyId}`);
    const historyOf = async (keys: Sharing) => {
      const path = `/paymaster-policy/${policyId}/history`;
      const answer = await dashboard.call({ method: 'GET', path, ...keys });
      return (answer.body.data as unknown as { action: string; after: { paymasterIds: string[] } | null }[]).map(
        ({ action, after }) => [action, after?.paymasterIds.length],
      );
    };
    expect(await historyOf(there)).toEqual([['deleted', undefined], ['updated', 1], ['created', 2]]); // prettier-ignore
    expect(await historyOf(here)).toEqual([['updated', 1], ['created', 2]]); // prettier-ignore
  });

  it('does not lose changes that come at once, and waits for nobody for ever', async () => {
    const [one, other] = [await create(), await create()];
    const changes = Array.from({ length: 12 }, (_, at) => [
      send('PATCH', `/${at % 2 ? one : other}`, { name: `name ${at}` }),
      send('PATCH', `/${at % 2 ? other : one}`, { paymasterIds: at % 3 ? [here.id, there.id] : [there.id] }),
      dashboard.call({ method: 'PATCH', path: '/paymaster-settings', ...here, body: { maxExpirySeconds: 300 + at } }),
    ]);
    for (const { status } of await Promise.all(changes.flat())) expect(status).toBe(200);
    const [{ versions }] = (await databaseOf(dashboard).query(
      'SELECT sum(version)::int AS versions FROM dashboard.shared_policies WHERE id = ANY ($1)',
      [[one, other]],
    )) as [{ versions: number }];
    expect(versions).toBe(2 + 24);
  });

  it.each<[string, () => object, string]>([
    [
      'an unknown paymaster',
      () => ({ paymasterIds: [here.id, randomUUID()] }),
      'paymasterIds must be those of paymasters of this account',
    ],
    ['no paymaster', () => ({ paymasterIds: [] }), 'paymasterIds should not be empty'],
    ['what is no id', () => ({ paymasterIds: ['x'] }), 'each value in paymasterIds must be a UUID'],
    ['no limits', () => ({ policyData: { limits: [] } }), 'policyData: limits should not be empty'],
    ['no list of limits', () => ({ policyData: {} }), 'policyData: limits must be an array'],
    [
      'a limit twice',
      () => ({ policyData: { limits: [limit(), limit({ amount: 3 })] } }),
      'policyData.limits.1: scope, measure and cycle are those of a limit before',
    ],
    [
      'a limit of one operation',
      () => ({ policyData: { limits: [limit({ scope: 'OPERATION' })] } }),
      'policyData.limits.0: scope must be one of the following values: USER, PAYMASTER',
    ],
    [
      'a limit without a cycle',
      () => ({ policyData: { limits: [limit({ cycle: undefined })] } }),
      'policyData.limits.0: cycle must be one of the following values: HOUR, DAY, WEEK, MONTH, LIFETIME',
    ],
    [
      'an unknown field',
      () => ({ policyData: { limits: [limit()], priority: 1 } }),
      'policyData: property priority should not exist',
    ],
    [
      'wei of two chains',
      () => ({ policyData: { limits: [limit({ measure: 'WEI', amount: '1' })] } }),
      'policyData: limits over paymasters of several chains must measure USD or COUNT: their coins are not worth the same',
    ],
    [
      'another type',
      () => ({ policyType: 'WEBHOOK' }),
      'policyType must be one of the following values: SPENDING_LIMITS, RULES',
    ],
  ])('is refused with %s, and changes nothing', async (_what, changes, message) => {
    // prettier-ignore
    const policyId = await create();
    expect(await send('POST', '', budget(changes()))).toMatchObject(refused(message));
    const { policyType, ...ofUpdate } = changes() as { policyType?: string };
    if (!policyType) expect(await send('PATCH', `/${policyId}`, ofUpdate)).toMatchObject(refused(message));
    expect(await snapshot(here)).toMatchObject({ version: 2, policies: [{ sharedVersion: 1 }] });
  });

  it('may count wei of one chain, and then not spread to another', async () => {
    const wei = { policyData: { limits: [limit({ measure: 'WEI', amount: '1' })] }, paymasterIds: [here.id] };
    const policyId = await create(budget(wei));
    const answer = await send('PATCH', `/${policyId}`, { paymasterIds: [here.id, there.id] });
    expect(answer.body.message).toMatch(/^policyData: limits over paymasters of several chains /);
  });

  it('of another account is unknown, and so are its paymasters', async () => {
    const policyId = await create();
    const stranger = await createPaymaster(dashboard);
    const unknown = { status: 404, body: refusal(404, 'POLICY_NOT_FOUND', 'Paymaster Policy not found') };
    expect(await send('PATCH', `/${policyId}`, { active: false }, stranger.authToken)).toMatchObject(unknown);
    expect(await send('DELETE', `/${policyId}`, undefined, stranger.authToken)).toMatchObject(unknown);
    expect((await send('GET', '', undefined, stranger.authToken)).body.data).toEqual([]);
    expect(await send('POST', '', budget({ paymasterIds: [here.id] }), stranger.authToken)).toMatchObject(
      refused('paymasterIds must be those of paymasters of this account'),
    );
    expect(await policiesOf(here)).toHaveLength(1);
  });

  it('can be one of ten of a paymaster, whose policies all travel in one message', async () => {
    for (let at = 0; at < 10; at++) await create(budget({ paymasterIds: [here.id] }));
    expect(await send('POST', '', budget())).toMatchObject({
      status: 400,
      body: { message: 'A paymaster can have at most 10 shared policies' },
    });
    expect(await snapshot(there)).toMatchObject({ version: 1, policies: [] });
    const addresses = Array.from({ length: 1_000 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`);
    const long = { policyType: 'RULES', policyData: { senders: { allow: addresses } } };
    await create(budget({ ...long, paymasterIds: [there.id] }));
    const own = { ...long, name: 'own', policyData: { senders: { allow: addresses, deny: addresses } } };
    const answer = await dashboard.call({ method: 'POST', path: '/paymaster-policy', ...there, body: own });
    expect(answer).toMatchObject({ status: 400, body: { reason: 'LIMIT_REACHED' } });
  });
});
