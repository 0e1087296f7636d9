import {
  databaseOf,
  startDashboard,
  type DashboardUnderTest,
  type TestAnswer,
} from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { fromPage, signedInMember } from '../../testing/people';
import { contractBody, COUNTER_ABI, createPaymaster, paymasterIdOf, type Keys, refusal } from '../../testing/requests';

type Json = Record<string, unknown>;
interface Document extends Json {
  version: number;
  policies: Json[];
  contracts: Json[];
  settings: Json;
}

let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
let keys: Keys;
beforeAll(async () => {
  dashboard = await startDashboard();
  gateway = await ListeningGateway.connect(dashboard);
});
beforeEach(async () => (keys = await createPaymaster(dashboard)));
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
});

const send = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object, by = keys): Promise<TestAnswer> =>
  dashboard.call({ method, path, ...by, body });
const exported = async (by = keys) =>
  (await send('GET', '/paymaster-policy/export', undefined, by)).body.data as unknown as Document;
const importing = (document: object, query = '', by = keys) =>
  send('POST', `/paymaster-policy/import${query}`, document, by);
const versionOf = async (by = keys) => (await gateway.resolve(by.apiKey))?.version;

const LIMIT = { type: 'PAYMASTER', cycleDuration: { value: 3, unit: 'hour' }, threshold: 10, thresholdType: 'COUNT' };
const NOTHING = { added: [], changed: [], removed: [] };

/** A paymaster with one of everything. */
async function furnish(by = keys): Promise<void> {
  for (const [policyType, policyData] of Object.entries({
    PAYMASTER_SA_LIMIT: LIMIT,
    WALLET_DEPLOYMENT: {},
    WEBHOOK: { url: 'https://hooks.example.org/bico' },
    RULES: { priority: 5, limits: [{ scope: 'USER', measure: 'USD', amount: '1.5', cycle: 'DAY' }] },
  })) {
    const body = { name: `a ${policyType}`, policyType, policyData };
    expect((await send('POST', '/paymaster-policy', body, by)).status).toBe(200);
  }
  await send('POST', '/smart-contract', contractBody(), by);
  await send('PATCH', '/paymaster-settings', { sponsorNativeTransfers: true, maxOperationCostWei: '5' }, by);
}

describe('an export', () => {
  it('is one document of policies, contracts and settings at a version', async () => {
    await furnish();
    const document = await exported();
    expect(document).toMatchObject({
      formatVersion: 1,
      version: 7,
      paymaster: { chainId: 31337 },
      policies: [
        { name: 'a PAYMASTER_SA_LIMIT', policyType: 'PAYMASTER_SA_LIMIT', active: true, policyData: LIMIT },
        { policyType: 'WALLET_DEPLOYMENT' },
        { policyType: 'WEBHOOK' },
        { policyType: 'RULES', policyData: { priority: 5 } },
      ],
      contracts: [{ abi: COUNTER_ABI, whitelistedMethods: ['count'] }],
      settings: { sponsorNativeTransfers: true, maxOperationCostWei: '5', maxLiveSignaturesPerSender: 4 },
    });
    expect(Object.keys(document.settings)).not.toContain('tokenFeeReceiver');
  });

  it('of a viewer has no whole URL of a webhook, and is refused by an import', async () => {
    await furnish();
    const paymasterid = await paymasterIdOf(dashboard, keys);
    const [{ id }] = (await databaseOf(dashboard).query(
      'SELECT account_id AS id FROM dashboard.paymasters WHERE id = $1',
      [paymasterid],
    )) as [{ id: string }];
    const viewer = await signedInMember(dashboard, { id }, 'viewer');
    const headers = { ...fromPage(viewer.cookie, id), paymasterid };
    const answer = await dashboard.call({ method: 'GET', path: '/paymaster-policy/export', headers });
    const document = answer.body.data as unknown as Document;
    expect(document.policies[2]).toMatchObject({ policyType: 'WEBHOOK', policyData: { url: 'hooks.example.org' } });
    expect((await importing(document)).body).toMatchObject({
      ...{ statusCode: 400, message: "policies.2.policyData: url is refused: the webhook's URL is not a URL" },
    });
  });

  it('imported again where it came from, changes nothing', async () => {
    await furnish();
    const document = await exported();
    // The transaction that wrote each row last.
    const writes = () => databaseOf(dashboard).query('SELECT id, xmin FROM dashboard.smart_contracts ORDER BY id');
    const before = await writes();
    const { body } = await importing(document);
    expect(await writes()).toEqual(before);
    expect(body).toEqual({
      statusCode: 200,
      message: 'Paymaster Policies imported',
      data: { applied: true, version: 8, policies: NOTHING, contracts: NOTHING, settings: NOTHING },
    });
    expect(await exported()).toEqual({ ...document, version: 8 });
  });

  it('imported into another paymaster, makes it alike, and the second time changes nothing', async () => {
    await furnish();
    const other = await createPaymaster(dashboard);
    await send('POST', '/paymaster-policy', { name: 'old', policyType: 'WALLET_DEPLOYMENT', policyData: {} }, other);
    const document = await exported();
    expect((await importing(document, '', other)).body.data).toMatchObject({ applied: true });
    const alike = await exported(other);
    const plain = ({ policies, contracts, settings }: Document) => ({
      policies: policies.map(({ policyId: _, policyData, ...rest }) => ({
        ...rest,
        policyData: { ...(policyData as Json), startTimeInEpoch: undefined },
      })),
      contracts,
      settings,
    });
    expect(plain(alike)).toEqual(plain(document));
    const ids = ({ policies }: Document) => policies.map(({ policyId }) => policyId);
    expect(ids(document).filter((id) => ids(alike).includes(id))).toEqual([]);
    const again = await importing(document, '', other);
    expect(again.body.data).toMatchObject({ policies: NOTHING, contracts: NOTHING, settings: NOTHING });
    expect(ids(await exported(other))).toEqual(ids(alike));
  });
});

describe('a dry run', () => {
  it('shows what would be added, changed and removed, and changes nothing', async () => {
    await furnish();
    const document = await exported();
    const audit = () => databaseOf(dashboard).query('SELECT count(*) FROM dashboard.audit_log');
    const before = await audit();
    const [limit, deployment, webhook, rules] = document.policies;
    const added = { name: 'fresh', policyType: 'RULES', policyData: { maxCallValueWei: '0' } };
    const changed = { ...limit, policyData: { ...LIMIT, threshold: 20 } };
    const contract = contractBody();
    const answer = await importing(
      {
        ...document,
        policies: [changed, deployment, { ...webhook, active: false }, added],
        contracts: [contract],
        settings: { sponsorNativeTransfers: false, sponsorAnyContract: false },
      },
      '?dryRun=true',
    );
    expect(answer.body).toMatchObject({ statusCode: 200, message: 'Paymaster Policies compared' });
    const data = answer.body.data as Json;
    expect(data).toMatchObject({ applied: false, version: 7 });
    expect(data['policies']).toEqual({
      added: [{ after: { ...added, active: true, policyData: { priority: 100, maxCallValueWei: '0' } } }],
      changed: [
        {
          id: limit?.['policyId'],
          before: expect.objectContaining({ policyData: limit?.['policyData'] }),
          after: expect.objectContaining({ policyData: expect.objectContaining({ threshold: 20 }) }),
        },
        {
          id: webhook?.['policyId'],
          before: expect.objectContaining({ active: true }),
          after: expect.objectContaining({ active: false }),
        },
      ],
      removed: [{ id: rules?.['policyId'], before: expect.objectContaining({ name: 'a RULES' }) }],
    });
    expect(data['contracts']).toMatchObject({
      added: [{ id: contract.address, after: { whitelistedMethods: ['count'] } }],
      changed: [],
      removed: [{ id: document.contracts[0]?.['address'] }],
    });
    expect(data['settings']).toEqual({
      added: [],
      changed: [
        { id: expect.any(String), before: { sponsorNativeTransfers: true }, after: { sponsorNativeTransfers: false } },
      ],
      removed: [],
    });
    expect(await exported()).toEqual(document);
    expect(await versionOf()).toBe(7);
    expect(await audit()).toEqual(before);
  });

  it('refuses what the import would refuse', async () => {
    const tooMany = Array.from({ length: 50 }, (_, at) => ({
      name: `policy ${at}`,
      policyType: 'WEBHOOK',
      policyData: { url: `https://hooks.example.org/${'a'.repeat(2_000)}` },
    }));
    for (const query of ['?dryRun=true', '?dryRun=false']) {
      const answer = await importing({ formatVersion: 1, policies: tooMany }, query);
      expect(answer.body.message).toBe('policyData: all policies of a paymaster can have at most 96000 bytes');
    }
  });
});

describe('an import', () => {
  it('is all or nothing', async () => {
    await furnish();
    const document = await exported();
    const { contracts } = document;
    const broken = { ...contracts[0], whitelistedMethods: ['mint'] };
    const answer = await importing({ ...document, policies: [], contracts: [broken] });
    expect(answer.body).toEqual(
      refusal(400, 'INVALID_BODY', 'contracts.0: whitelistedMethods: "mint" is not a method of the abi'),
    );
    expect(await exported()).toEqual(document);
  });

  it('leaves contracts and settings alone when the document has none', async () => {
    await furnish();
    const { contracts, settings } = await exported();
    await importing({ formatVersion: 1, policies: [] });
    expect(await exported()).toMatchObject({ policies: [], contracts, settings });
  });

  it('takes the ABI of a contract that is registered from there', async () => {
    await furnish();
    const { contracts } = await exported();
    const { abi: _, ...contract } = { ...contracts[0], name: 'renamed', whitelistedMethods: ['add'] } as Json;
    expect((await importing({ formatVersion: 1, policies: [], contracts: [contract] })).status).toBe(200);
    expect((await exported()).contracts).toEqual([{ ...contracts[0], name: 'renamed', whitelistedMethods: ['add'] }]);
    expect((await gateway.resolve(keys.apiKey))?.contracts).toMatchObject([{ selectors: ['0x1003e2d2'] }]);
    const { abi: __, ...unknown } = contractBody();
    expect((await importing({ formatVersion: 1, policies: [], contracts: [unknown] })).body.message).toBe(
      'contracts.0: abi must be sent for a contract that is not registered',
    );
  });

  it('writes new contracts by one statement, and removes those that are gone by another', async () => {
    const addresses = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(40)}`);
    const contracts = addresses.map((address) => ({ ...contractBody(), name: `at ${address}`, address }));
    expect((await importing({ formatVersion: 1, policies: [], contracts })).status).toBe(200);
    const paymasterId = await paymasterIdOf(dashboard, keys);
    // Rows of one statement have one number in their transaction.
    const [written] = (await databaseOf(dashboard).query(
      `SELECT count(*)::int AS contracts, count(DISTINCT cmin::text)::int AS statements
         FROM dashboard.smart_contracts WHERE paymaster_id = $1`,
      [paymasterId],
    )) as object[];
    expect(written).toEqual({ contracts: 3, statements: 1 });
    const last = contracts.slice(2);
    expect((await importing({ formatVersion: 1, policies: [], contracts: last })).body.data).toMatchObject({
      contracts: { removed: [{}, {}], changed: [], added: [] },
    });
    expect((await exported()).contracts).toMatchObject([{ address: addresses[2] }]);
  });

  it('lets one of several edits of one version win', async () => {
    await furnish();
    const document = await exported();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((threshold) => {
        const [limit, ...rest] = document.policies;
        const policies = [{ ...limit, policyData: { ...LIMIT, threshold } }, ...rest];
        return importing({ ...document, policies }, `?expectedVersion=${document.version}`);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(
      refusal(409, 'VERSION_CONFLICT', 'The paymaster has changed meanwhile: it is at version 8'),
    );
    expect((await importing(document, `?dryRun=true&expectedVersion=7`)).status).toBe(409);
  });

  it('is in the history of every policy that it changed', async () => {
    await furnish();
    const document = await exported();
    const [limit] = document.policies;
    await importing({ ...document, policies: [{ ...limit, name: 'renamed' }] });
    for (const [policy, action] of [
      [limit, 'updated'],
      [document.policies[3], 'deleted'],
    ] as const) {
      const path = `/paymaster-policy/${String(policy?.['policyId'])}/history`;
      const history = (await send('GET', path)).body.data as unknown as Json[];
      expect(history.map((each) => [each['version'], each['action']])).toContainEqual([8, action]);
    }
  });

  it('swaps no cycle: a limit that stays goes on, one that changes begins anew', async () => {
    await furnish();
    const document = await exported();
    const cycleOf = ({ policies }: Document) => Number((policies[0]?.['policyData'] as Json)['startTimeInEpoch']);
    const [limit, ...rest] = document.policies;
    const policyData = { ...(limit?.['policyData'] as Json), startTimeInEpoch: 1 };
    await importing({ ...document, policies: [{ ...limit, policyData }, ...rest] });
    expect(cycleOf(await exported())).toBe(cycleOf(document));
    await importing({ ...document, policies: [{ ...limit, policyData: { ...policyData, threshold: 11 } }, ...rest] });
    expect(cycleOf(await exported())).toBeGreaterThan(cycleOf(document));
  });

  const POLICY = { name: 'limit', policyType: 'PAYMASTER_SA_LIMIT', policyData: LIMIT };
  const TWIN = '00000000-0000-4000-8000-000000000000';
  it.each<[string, object | undefined, string, string?]>([
    ['no document', undefined, 'formatVersion must be equal to 1; policies must be an array'],
    ['another format', { formatVersion: 2, policies: [] }, 'formatVersion must be equal to 1'],
    ['no policies', { formatVersion: 1 }, 'policies must be an array'],
    ['an unknown part', { formatVersion: 1, policies: [], rules: [] }, 'property rules should not exist'],
    ['a policy of null', { formatVersion: 1, policies: [null] }, 'each value in policies must be an object'],
    [
      'a policy without a name',
      { formatVersion: 1, policies: [{ ...POLICY, name: undefined }] },
      'policies.0: name must be a string',
    ],
    [
      'a policy with an unknown field',
      { formatVersion: 1, policies: [POLICY, { ...POLICY, chainId: 1 }] },
      'policies.1: property chainId should not exist',
    ],
    [
      'data that is wrong',
      { formatVersion: 1, policies: [{ ...POLICY, policyData: { ...LIMIT, threshold: 0 } }] },
      'policies.0.policyData: threshold must be a whole number of operations, above zero; as text where it has more than 15 digits',
    ],
    [
      'a policy twice',
      {
        formatVersion: 1,
        policies: [
          { ...POLICY, policyId: TWIN },
          { ...POLICY, policyId: TWIN },
        ],
      },
      'policies.1: policyId is that of a policy before',
    ],
    [
      '51 policies',
      { formatVersion: 1, policies: Array(51).fill(POLICY) },
      'policies must contain no more than 50 elements',
    ],
    [
      'a token setting',
      { formatVersion: 1, policies: [], settings: { tokenMode: 'off' } },
      'settings: property tokenMode should not exist',
    ],
    [
      'a wrong setting',
      { formatVersion: 1, policies: [], settings: { clientSharePercent: 0 } },
      'settings: clientSharePercent must not be less than 1',
    ],
    [
      'a validity too long',
      { formatVersion: 1, policies: [], settings: { maxExpirySeconds: 3_601 } },
      'maxExpirySeconds must not be greater than 3600',
    ],
    [
      'a contract twice',
      {
        formatVersion: 1,
        policies: [],
        contracts: [0, 1].map(() => ({ ...contractBody(), address: `0x${'a'.repeat(40)}` })),
      },
      'contracts.1: address is that of a contract before',
    ],
    [
      'two contracts of one name',
      { formatVersion: 1, policies: [], contracts: [0, 1].map(() => ({ ...contractBody(), name: 'one' })) },
      'Smart contract name already exists',
      'SMART_CONTRACT_NAME_EXISTS',
    ],
  ])('refuses %s', async (_title, document, message, reason = 'INVALID_BODY') => {
    const before = await exported();
    expect((await send('POST', '/paymaster-policy/import', document)).body).toEqual(refusal(400, reason, message));
    expect(await exported()).toEqual(before);
  });

  it.each([
    ['?dryrun=true', 'the query parameter "dryrun" is not known'],
    ['?dryRun=1', 'dryRun must be true or false'],
    ['?dryRun=true&dryRun=false', 'dryRun must be true or false'],
    ['?expectedVersion=-1', 'expectedVersion must be a whole number'],
    ['?expectedVersion=', 'expectedVersion must be a whole number'],
  ])('refuses the query %s', async (query, message) => {
    expect((await importing(await exported(), query)).body).toEqual(refusal(400, 'INVALID_BODY', message));
    expect(await versionOf()).toBe(1);
  });
});
