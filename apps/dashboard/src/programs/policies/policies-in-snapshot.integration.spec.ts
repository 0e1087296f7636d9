import type { PolicySnapshot } from '@paymaster/domain';
import { randomAddress, until } from '@paymaster/domain/testing';
import { databaseOf, startDashboard, type DashboardUnderTest, type TestCall } from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { createPaymaster, type Keys } from '../../testing/requests';

const A = randomAddress();
const B = randomAddress();

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

async function snapshot(): Promise<PolicySnapshot> {
  const found = await gateway.resolve(keys.apiKey);
  if (!found) throw new Error('the paymaster has no policy');
  return found;
}

async function send(method: TestCall['method'], path: string, body?: object): Promise<string> {
  const answer = await dashboard.call({ method, path: `/paymaster-policy${path}`, ...keys, body });
  expect(answer.status).toBe(200);
  return String(answer.body.data?.['_id']);
}
const create = (name: string, policyType: string, policyData: object) =>
  send('POST', '', { name, policyType, policyData });

describe('the policies in a snapshot', () => {
  it('are the active ones as the gateway needs them', async () => {
    const cycleDuration = { value: 3, unit: 'hour' };
    const gas = { type: 'SMART_ACCOUNT', cycleDuration, threshold: 0.1, thresholdType: 'NATIVE_ASSET' };
    const limitId = await create('gas', 'PAYMASTER_SA_LIMIT', gas);
    const deployId = await create('deploy', 'WALLET_DEPLOYMENT', {});
    const webhookId = await create('ask', 'WEBHOOK', { url: 'https://hooks.example.org/bico' });
    const rulesId = await create('rules', 'RULES', {
      priority: 7,
      senders: { deny: [A] },
      arguments: [{ contract: B, method: 'mint(address,uint256)', index: 1, operator: 'LT', value: 5 }],
      maxCallValueWei: '12',
      limits: [
        { scope: 'USER', measure: 'USD', amount: '1.5', cycle: 'DAY' },
        { scope: 'OPERATION', measure: 'WEI', amount: '9'.repeat(77) },
      ],
    });
    const pausedId = await create('paused', 'RULES', { priority: 0 });
    await send('PATCH', `/deactivate/${pausedId}`);

    expect((await snapshot()).policies).toEqual([
      {
        policyId: limitId,
        name: 'gas',
        type: 'PAYMASTER_SA_LIMIT',
        limit: {
          subject: 'SMART_ACCOUNT',
          measure: 'WEI',
          threshold: 10n ** 17n,
          startTimeMs: expect.any(Number),
          durationMs: 10_800_000,
        },
      },
      { policyId: deployId, name: 'deploy', type: 'WALLET_DEPLOYMENT' },
      {
        policyId: webhookId,
        name: 'ask',
        type: 'WEBHOOK',
        webhook: { webhookId, url: 'https://hooks.example.org/bico', method: 'POST', secretVersions: [1] },
      },
      {
        policyId: rulesId,
        name: 'rules',
        type: 'RULES',
        priority: 7,
        rules: {
          startsAtSeconds: null,
          endsAtSeconds: null,
          allowedSenders: null,
          deniedSenders: [A],
          maxCallValueWei: 12n,
          maxCallsPerOperation: null,
          maxTotalValueWei: null,
          arguments: [{ contract: B, method: 'mint(address,uint256)', index: 1, operator: 'LT', values: ['5'] }],
          maxFeePercentOfBaseFee: null,
          maxCallGasPercentOfEstimate: null,
          eip7702Delegates: null,
          accountFactories: null,
          revertBreaker: null,
          limits: [
            { id: 'USER-USD-DAY', scope: 'USER', measure: 'USD', amount: 1_500_000n, cycle: 'DAY' },
            { id: 'OPERATION-WEI', scope: 'OPERATION', measure: 'WEI', amount: 10n ** 77n - 1n, cycle: 'LIFETIME' },
          ],
        },
        sharedVersion: null,
      },
    ]);
  });

  it('come by priority, and by creation where it is equal', async () => {
    for (const [name, priority] of Object.entries({ last: 9, first: 1, second: 5, third: 5 })) {
      await create(name, 'RULES', { priority });
    }
    const names = async () => (await snapshot()).policies.map(({ name }) => name);
    expect(await names()).toEqual(['first', 'second', 'third', 'last']);
    const { policies } = await snapshot();
    await send('PATCH', `/${policies.at(-1)?.policyId}`, { priority: 0 });
    expect(await names()).toEqual(['last', 'first', 'second', 'third']);
  });

  it('step the version with every write, which is broadcast after it can be read', async () => {
    const { paymasterId } = await snapshot();
    const id = await create('deploy', 'WALLET_DEPLOYMENT', {});
    await send('PATCH', `/${id}`, { name: 'renamed' });
    await send('PATCH', `/deactivate/${id}`);
    expect(await snapshot()).toMatchObject({ version: 4, policies: [] });
    await send('PATCH', `/activate/${id}`);
    expect(await snapshot()).toMatchObject({ version: 5, policies: [{ policyId: id, name: 'renamed' }] });
    await send('DELETE', `/${id}`);
    expect(await snapshot()).toMatchObject({ version: 6, policies: [] });
    await until(() => gateway.versionsHeardOf(paymasterId).length === 5);
    expect(gateway.versionsHeardOf(paymasterId)).toEqual([2, 3, 4, 5, 6]);
  });

  it('keep their budgets while only amounts change, and have names of any kind', async () => {
    const limit = { scope: 'USER', measure: 'COUNT', amount: 5, cycle: 'DAY' };
    const id = await create(`${'é'.repeat(50)}${'🚀'.repeat(25)}`, 'RULES', { limits: [limit] });
    await send('PATCH', `/${id}`, { policyData: { limits: [{ ...limit, amount: 6 }] } });
    const [policy] = (await snapshot()).policies;
    expect(policy).toMatchObject({ policyId: id, rules: { limits: [{ id: 'USER-COUNT-DAY', amount: 6n }] } });
  });

  it('come with the caps on live signatures', async () => {
    expect((await snapshot()).settings.liveSignatureCaps).toEqual({
      perSender: 4,
      perClient: 100,
      perPaymaster: 10_000,
      clientSharePercent: 50,
    });
    const body = { maxLiveSignaturesPerSender: 2, clientSharePercent: 100 };
    const answer = await dashboard.call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body });
    expect(answer.body.data).toMatchObject({
      ...body,
      maxLiveSignaturesPerClient: 100,
      maxLiveSignaturesTotal: 10_000,
    });
    expect((await snapshot()).settings.liveSignatureCaps).toEqual({
      perSender: 2,
      perClient: 100,
      perPaymaster: 10_000,
      clientSharePercent: 100,
    });
  });

  it('have caps in the database too', async () => {
    for (const [column, value] of [
      ['max_live_signatures_per_sender', 0],
      ['max_live_signatures_per_client', 0],
      ['max_live_signatures_total', 1_000_001],
      ['client_share_percent', 101],
    ]) {
      const update = `UPDATE dashboard.paymasters SET settings_${column} = ${value}`;
      await expect(databaseOf(dashboard).query(update)).rejects.toThrow(`paymasters_settings_${column}_check`);
    }
  });
});
