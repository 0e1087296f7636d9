import { faker } from '@faker-js/faker';
import {
  CHAIN_ID,
  CHAIN_OF_TWO_SOURCES,
  CHAIN_WITHOUT_PRICES,
  databaseOf,
  startDashboard,
  type DashboardUnderTest,
} from '../../testing/dashboard-under-test';
import { plansOf, wideReads } from '../../testing/statement-plans';
import { contractBody, createPaymaster, paymasterBody, paymasterIdOf, refusal } from '../../testing/requests';

const CHAINS = [CHAIN_ID, CHAIN_WITHOUT_PRICES, CHAIN_OF_TWO_SOURCES];

let dashboard: DashboardUnderTest;
let authToken: string;
/** One on each chain, in the order of {@link CHAINS}. */
let apiKeys: string[];
let paymasterIds: string[];

beforeAll(async () => {
  dashboard = await startDashboard();
});
beforeEach(async () => {
  authToken = await dashboard.createToken(`account ${faker.string.uuid()}`);
  apiKeys = [];
  for (const chainId of CHAINS) {
    const answer = await dashboard.call({
      method: 'POST',
      path: '/paymaster',
      authToken,
      body: paymasterBody(chainId),
    });
    apiKeys.push(String(answer.body.data?.['apiKey']));
  }
  paymasterIds = await Promise.all(apiKeys.map((apiKey) => paymasterIdOf(dashboard, { apiKey })));
});
afterAll(() => dashboard.stop());

const post = (path: string, body: object) =>
  dashboard.call({ method: 'POST', path: `/account${path}`, authToken, body });
const outcomes = async (path: string, body: object) =>
  ((await post(path, body)).body.data ?? []) as unknown as { outcome: string }[];
const listOf = async (at: number, path: string) =>
  (await dashboard.call({ method: 'GET', path, authToken, apiKey: apiKeys[at]! })).body.data as unknown as object[];
const versions = async () =>
  (await databaseOf(dashboard).query(
    'SELECT policy_version::int AS version FROM dashboard.paymasters WHERE id = ANY ($1) ORDER BY chain_id',
    [paymasterIds],
  )) as unknown[];
const all = (outcome: string) => CHAINS.map((chainId, at) => ({ paymasterId: paymasterIds[at], chainId, outcome }));

describe('a contract for several paymasters', () => {
  it('is registered with its methods at each, and changes nothing when it is sent again, also twice at once', async () => {
    const body = { ...contractBody(), paymasterIds };
    expect(await outcomes('/smart-contract', body)).toMatchObject(all('created'));
    for (const at of CHAINS.keys()) {
      expect(await listOf(at, '/smart-contract')).toMatchObject([{ name: body.name, whitelistedMethods: ['count'] }]);
    }
    const before = await versions();
    const again = {
      ...body,
      whitelistedMethods: ['count', 'count'],
      address: body.address.toUpperCase().replace('X', 'x'),
    };
    const [one, other] = await Promise.all([outcomes('/smart-contract', body), outcomes('/smart-contract', again)]);
    expect([one, other]).toMatchObject([all('unchanged'), all('unchanged')]);
    expect(await versions()).toEqual(before);
  });

  it('that one paymaster has otherwise is refused there with the reason, and is registered at the others', async () => {
    const body = contractBody();
    const own = { ...body, whitelistedMethods: ['add'] };
    await dashboard.call({ method: 'POST', path: '/smart-contract', authToken, apiKey: apiKeys[1]!, body: own });
    const [first, second, third] = all('created');
    const taken = {
      outcome: 'refused',
      reason: expect.stringMatching(/^SMART_CONTRACT_(NAME|ADDRESS)_EXISTS$/) as string,
    };
    const expected = [
      first,
      { ...second, ...taken, message: expect.stringMatching(/already exists$/) as string },
      third,
    ];
    expect(await outcomes('/smart-contract', { ...body, paymasterIds })).toMatchObject(expected);
    expect(await listOf(1, '/smart-contract')).toMatchObject([{ whitelistedMethods: ['add'] }]);
  });

  it('with a method that is not in its ABI is refused as a whole', async () => {
    const body = { ...contractBody(), whitelistedMethods: ['burn'], paymasterIds };
    expect(await post('/smart-contract', body)).toMatchObject({ status: 400, body: { reason: 'INVALID_ABI' } });
    expect(await versions()).toEqual(CHAINS.map(() => ({ version: 1 })));
  });
});

describe('a policy for several paymasters', () => {
  const limit = {
    policyType: 'RULES',
    policyData: { limits: [{ scope: 'USER', measure: 'COUNT', amount: '2', cycle: 'DAY' }] },
  };
  const cycle = {
    ...{ type: 'PAYMASTER', cycleDuration: { value: 3, unit: 'hour' }, threshold: 10, thresholdType: 'COUNT' },
  };

  it.each([
    ['rules', limit],
    ['a limit whose cycle has begun', { policyType: 'PAYMASTER_SA_LIMIT', policyData: cycle }],
    ['deployments', { policyType: 'WALLET_DEPLOYMENT', policyData: {} }],
  ])('of %s is made at each, and changes nothing when it is sent again, also twice at once', async (_what, policy) => {
    const body = { name: 'Two a day', ...policy, paymasterIds };
    const twice = await Promise.all([outcomes('/paymaster-policy', body), outcomes('/paymaster-policy', body)]);
    for (const at of CHAINS.keys()) {
      expect(twice.map((each) => each[at]?.outcome).sort()).toEqual(['created', 'unchanged']);
      expect(await listOf(at, '/paymaster-policy')).toMatchObject([{ name: 'Two a day' }]);
    }
    const before = await versions();
    expect(await outcomes('/paymaster-policy', body)).toMatchObject(all('unchanged'));
    expect(await versions()).toEqual(before);
  });

  it('whose name one paymaster has for another is refused there', async () => {
    const body = { name: 'Two a day', ...limit };
    const other = { ...body, policyType: 'WALLET_DEPLOYMENT', policyData: {} };
    await dashboard.call({ method: 'POST', path: '/paymaster-policy', authToken, apiKey: apiKeys[2]!, body: other });
    const [first, second, third] = all('created');
    const refused = { outcome: 'refused', message: 'name is that of another policy of this paymaster' };
    expect(await outcomes('/paymaster-policy', { ...body, paymasterIds })).toMatchObject([
      first,
      second,
      { ...third, ...refused },
    ]);
  });
});

it.each(['/smart-contract', '/paymaster-policy'])(
  '%s names no paymaster of another account, and then changes nothing',
  async (path) => {
    const others = await paymasterIdOf(dashboard, await createPaymaster(dashboard));
    const body =
      path === '/smart-contract' ? contractBody() : { name: 'x', policyType: 'WALLET_DEPLOYMENT', policyData: {} };
    for (const id of [others, faker.string.uuid()]) {
      expect(await post(path, { ...body, paymasterIds: [...paymasterIds, id] })).toMatchObject({
        ...{
          status: 400,
          body: refusal(400, 'INVALID_BODY', 'paymasterIds must be those of paymasters of this account'),
        },
      });
    }
    for (const ids of [[], ['x'], 'x', undefined]) {
      expect(await post(path, { ...body, paymasterIds: ids })).toMatchObject({ status: 400 });
    }
    expect(await versions()).toEqual(CHAINS.map(() => ({ version: 1 })));
  },
);

it('shows the usage of each paymaster of the account, in USD, and of no other', async () => {
  const stranger = await paymasterIdOf(dashboard, await createPaymaster(dashboard));
  for (const [at, id] of [...paymasterIds.slice(0, 2), stranger].entries()) {
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.usage_hours (paymaster_id, hour, granted, refused, settled, spent_wei, spent_usd, received_usd)
       VALUES ($1, '2026-03-04T05:00:00Z', 3, 1, 2, 1000, $2, 0.25), ($1, '2026-03-05T00:00:00Z', 1, 0, 1, 7, 9, 0)`,
      [id, at + 1],
    );
  }
  const usage = async (query: string) =>
    (await dashboard.call({ method: 'GET', path: `/account/usage${query}`, authToken })).body.data;
  const counted = { granted: 3, refused: 1, settled: 2, reverted: 0, voided: 0, spentWei: '1000', receivedUsd: '0.25' };
  expect(await usage('?from=2026-03-04&to=2026-03-05')).toEqual([
    { paymasterId: paymasterIds[0], ...counted, spentUsd: '1', netUsd: '0.75', unpriced: 0, unrecorded: 0 },
    { paymasterId: paymasterIds[1], ...counted, spentUsd: '2', netUsd: '1.75', unpriced: 0, unrecorded: 0 },
  ]);
  expect(await usage('?from=2025-03-04&to=2025-03-05')).toEqual([]);
  expect(await usage('?from=2025-01-01&to=2026-01-01')).toBeUndefined();

  // Of others nothing is read.
  const database = databaseOf(dashboard);
  await database.query(
    `INSERT INTO dashboard.usage_hours (paymaster_id, hour, granted)
     SELECT gen_random_uuid(), '2026-03-04T05:00:00Z', 1 FROM generate_series(1, 5000)`,
  );
  await database.query('ANALYZE dashboard.usage_hours');
  const plans = await plansOf(database, () => usage('?from=2026-03-04&to=2026-03-05'), /^usage_hours$/);
  expect(plans.length).toBe(1);
  expect(plans.flatMap((plan) => wideReads(plan, 10, /^usage_hours$/))).toEqual([]);
});
