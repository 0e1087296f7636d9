import { until } from '@paymaster/domain/testing';
import { auditLogOf } from '../../testing/audit-log-of';
import { CHAIN_ID, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import {
  contractBody,
  createPaymaster,
  paymasterBody,
  paymasterIdOf,
  refusal,
  type Keys,
} from '../../testing/requests';

let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
let keys: Keys;
let paymasterId: string;

beforeAll(async () => {
  dashboard = await startDashboard();
  gateway = await ListeningGateway.connect({ natsUrl: dashboard.natsUrl });
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
});

const byId = (method: 'GET' | 'POST' | 'PATCH', action = '', body?: object) =>
  dashboard.call({ method, path: `/paymaster/${paymasterId}${action}`, authToken: keys.authToken, body });
const listOf = async (path: string) =>
  (await dashboard.call({ method: 'GET', path, authToken: keys.authToken })).body.data as unknown as object[];

describe('a paymaster by its id', () => {
  it('is shown without its key, with how much belongs to it', async () => {
    await dashboard.call({ method: 'POST', path: '/smart-contract', ...keys, body: contractBody() });
    const { body } = await byId('GET');
    expect(body.data).toEqual({
      ...{
        paymasterId,
        name: expect.stringMatching(/^paymaster /),
        chainId: CHAIN_ID,
        version: '1.1.0',
        project: null,
      },
      ...{ fundingWallet: null, createdAt: expect.any(String), archivedAt: null, suspension: null, policyVersion: 2 },
      counts: { contracts: 1, policies: 0, sharedPolicies: 0, tokens: 0, webhooks: 0, keys: 0, sessionKeys: 0 },
    });
    const [listed] = await listOf('/account/paymasters');
    const { counts: _, policyVersion: __, ...summary } = body.data ?? {};
    expect(listed).toEqual(summary);
  });

  it.each(['x', '%00', '00000000-0000-4000-8000-000000000000'])('answers 404 to the id %s', async (id) => {
    paymasterId = id;
    expect(await byId('GET')).toMatchObject({ status: 404, body: refusal(404, 'USER_NOT_FOUND', 'User not found') });
  });
});

describe('renaming', () => {
  it('tells the gateways and the audit log', async () => {
    const { name } = paymasterBody();
    const { name: before } = (await byId('GET')).body.data ?? {};
    expect((await byId('PATCH', '', { name: `  ${name} ` })).body).toMatchObject({
      ...{ message: 'Paymaster renamed', data: { name, policyVersion: 2 } },
    });
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ name, version: 2 });
    expect(await auditLogOf(dashboard, paymasterId)).toMatchObject([
      { subject: 'paymaster', action: 'updated', before: { name: before }, after: { name } },
    ]);
  });

  it('refuses a name that another paymaster of the chain has, and changes nothing', async () => {
    const taken = paymasterBody();
    await dashboard.call({ method: 'POST', path: '/paymaster', authToken: keys.authToken, body: taken });
    expect((await byId('PATCH', '', { name: taken.name })).body).toEqual(
      refusal(400, 'PAYMASTER_NAME_EXISTS', 'paymaster_name_exists'),
    );
    expect((await byId('GET')).body.data).toMatchObject({ policyVersion: 1 });
  });
});

describe('a project', () => {
  it('is what its owner calls the paymasters that belong together, until he takes one out', async () => {
    expect((await byId('PATCH', '', { project: ' Shop ' })).body.data).toMatchObject({ project: 'Shop' });
    const [listed] = await listOf('/account/paymasters');
    expect(listed).toMatchObject({ project: 'Shop', name: expect.stringMatching(/^paymaster /) });
    expect((await byId('PATCH', '', { project: null })).body.data).toMatchObject({ project: null });
    expect(await auditLogOf(dashboard, paymasterId)).toMatchObject([
      { subject: 'paymaster', after: { project: 'Shop' } },
      { subject: 'paymaster', before: { project: 'Shop' } },
    ]);
  });

  it.each([[{}], [{ project: '' }], [{ project: 7 }], [{ name: null }], [{ project: 'a\u200bb' }]])(
    'is not changed by %j',
    async (body) => {
      expect(await byId('PATCH', '', body)).toMatchObject({ status: 400, body: { reason: 'INVALID_BODY' } });
      expect((await byId('GET')).body.data).toMatchObject({ project: null, policyVersion: 1 });
    },
  );
});

describe('an archived paymaster', () => {
  it('is unknown to gateways, the ones that know it already too, until it is restored', async () => {
    const known = { paymasterId, version: 1 };
    expect(await gateway.confirm(keys.apiKey, known)).toBe('unchanged');
    expect((await byId('POST', '/archive')).body.data).toMatchObject({ archivedAt: expect.any(String) });
    await until(() => gateway.versionsHeardOf(paymasterId).includes(2));
    expect(await gateway.resolve(keys.apiKey)).toBeUndefined();
    expect(await gateway.confirm(keys.apiKey, known)).toBeUndefined();
    expect(await gateway.confirm(keys.apiKey, { paymasterId, version: 2 })).toBeUndefined();

    expect((await byId('POST', '/restore')).body.data).toMatchObject({ archivedAt: null });
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ paymasterId, version: 3 });
  });

  it('is listed by id only, keeps the time of its first archiving, and takes no fields', async () => {
    const { archivedAt } = (await byId('POST', '/archive')).body.data ?? {};
    expect((await byId('POST', '/archive')).body.data).toMatchObject({ archivedAt });
    expect(await listOf('/paymaster')).toEqual([]);
    expect(await listOf('/account/paymasters')).toMatchObject([{ paymasterId, archivedAt }]);
    expect(await auditLogOf(dashboard, paymasterId)).toMatchObject([{ after: { isArchived: true } }]);
    expect((await byId('POST', '/restore', { reason: 'x' })).status).toBe(400);
  });

  it('still shows its owner what is his, by its key', async () => {
    await byId('POST', '/archive');
    expect(await dashboard.call({ method: 'GET', path: '/operation', ...keys })).toMatchObject({ status: 200 });
  });
});
