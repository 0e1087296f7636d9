import { randomUUID } from 'node:crypto';
import { randomAddress, until } from '@paymaster/domain/testing';
import { GatewayResponder, GATEWAY_SUBJECTS, MessageAuthenticator } from '@paymaster/messaging';
import { connect } from 'nats';
import { startAnsweringGateway } from '../../testing/answering-gateway';
import { databaseOf, INDEX_KEY, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster, paymasterIdOf, refusal, type Keys } from '../../testing/requests';
import { Gateways } from './gateways.service';

let dashboard: DashboardUnderTest;
let keys: Keys;
const gateways: GatewayResponder[] = [];
const USER_OPERATION = {
  ...{ sender: randomAddress(), nonce: '0x5', callData: '0x', maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' },
};
const NO_GATEWAY = refusal(503, 'GATEWAY_UNAVAILABLE', 'No gateway answers at the moment');

beforeAll(async () => {
  dashboard = await startDashboard();
  keys = await createPaymaster(dashboard);
});
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});
afterAll(() => dashboard.stop());

const get = (path: string) => dashboard.call({ method: 'GET', path, ...keys });
const explain = (body: object) => dashboard.call({ method: 'POST', path: '/explain', ...keys, body });

/** Resolves when a gateway answers. */
async function startGateway(handlers: Parameters<typeof startAnsweringGateway>[1] = {}): Promise<void> {
  gateways.push(startAnsweringGateway({ natsUrl: dashboard.natsUrl }, handlers));
  await until(async () => (await get('/price')).status === 200);
}

describe('questions to gateways', () => {
  it('are answered 503 at once while no gateway listens', async () => {
    await until(async () => (await get('/price')).status === 503);
    const startedMs = performance.now();
    expect(await get('/price')).toMatchObject({ status: 503, body: NO_GATEWAY, headers: { 'retry-after': '2' } });
    expect(await explain({ userOperation: USER_OPERATION })).toMatchObject({ status: 503 });
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });

  it('are answered 503 when the gateway hears and says nothing, and a forged answer is not believed', async () => {
    const stranger = await connect({ servers: dashboard.natsUrl });
    const forger = new MessageAuthenticator('99'.repeat(32));
    stranger.subscribe(GATEWAY_SUBJECTS.prices, {
      callback: (_error, message) => {
        const answer = JSON.stringify({ answer: { nativeUsd: '1', tokens: [] } });
        message.respond(JSON.stringify(forger.signAnswer(message.json(), answer)));
      },
    });
    await stranger.flush();
    expect(await get('/price')).toMatchObject({ status: 503, body: NO_GATEWAY });
    await stranger.close();
  });

  it('of a stranger get no answer', async () => {
    await startGateway();
    const stranger = await connect({ servers: dashboard.natsUrl });
    const signed = new MessageAuthenticator('99'.repeat(32)).signQuestion(GATEWAY_SUBJECTS.prices, '{}');
    await expect(
      stranger.request(GATEWAY_SUBJECTS.prices, JSON.stringify(signed), { timeout: 500 }),
    ).rejects.toMatchObject({ code: 'TIMEOUT' });
    await stranger.close();
  });

  it('sent again for another subject, or long ago, get no answer', async () => {
    await startGateway();
    const stranger = await connect({ servers: dashboard.natsUrl });
    const authenticator = new MessageAuthenticator(INDEX_KEY);
    const envelope = { requestId: 'r', timeLeftMs: 1_000, question: { chainId: 1, apiKeyIndex: '' } };
    const ask = (subject: string, sentAtMs: number) =>
      stranger.request(
        GATEWAY_SUBJECTS.prices,
        JSON.stringify(authenticator.signQuestion(subject, JSON.stringify({ ...envelope, sentAtMs }))),
        { timeout: 500 },
      );
    await expect(ask(GATEWAY_SUBJECTS.prices, Date.now())).resolves.toBeDefined();
    await expect(ask(GATEWAY_SUBJECTS.explain, Date.now())).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(ask(GATEWAY_SUBJECTS.prices, Date.now() - 3_600_000)).rejects.toMatchObject({ code: 'TIMEOUT' });
    await stranger.close();
  });

  it('that are too many at once are refused, and the others answered one at a time', async () => {
    let [running, most] = [0, 0];
    await startGateway({
      limits: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 30));
        running--;
        return [];
      },
    });
    const policy = { policyId: randomUUID(), name: 'n', type: 'WALLET_DEPLOYMENT' } as const;
    const ask = () => dashboard.app.get(Gateways).ask('limits', { chainId: 1, paymasterId: randomUUID(), policy });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, ask));
    const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    expect(most).toBe(1);
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.length).toBeLessThan(20);
    expect(new Set(reasons)).toEqual(new Set(['GatewayUnavailableError: No gateway answers at the moment']));
  });
});

describe('GET /paymaster-policy/{policyId}/use', () => {
  const POLICY = { name: 'Five a day', policyType: 'RULES' };
  const limits = [{ scope: 'USER', measure: 'COUNT', amount: '5', cycle: 'DAY' }];

  it('asks a gateway about the policy of the paymaster, paused or not, and about a shared one', async () => {
    const asked: object[] = [];
    await startGateway({
      limits: (question) => {
        asked.push(question);
        return Promise.resolve([
          { rule: 'r', perUser: false, unit: 'count', amount: '5', used: '1', resetsAtSeconds: 1_800_000_000 },
          { rule: 's', perUser: false, unit: 'wei', amount: '9', used: '9', resetsAtSeconds: null },
        ]);
      },
    });
    const paymasterId = await paymasterIdOf(dashboard, keys);
    const post = async (path: string, body: object) => {
      const answer = await dashboard.call({ method: 'POST', path, ...keys, body });
      return String(answer.body.data?.['_id'] ?? answer.body.data?.['policyId']);
    };
    const own = await post('/paymaster-policy', { ...POLICY, policyData: { limits } });
    await dashboard.call({ method: 'PATCH', path: `/paymaster-policy/deactivate/${own}`, ...keys, body: {} });
    const shared = await post('/shared-policy', { ...POLICY, policyData: { limits }, paymasterIds: [paymasterId] });
    const sender = randomAddress();
    expect((await get(`/paymaster-policy/${own}/use?sender=${sender.toUpperCase().replace('0X', '0x')}`)).body).toEqual(
      {
        statusCode: 200,
        message: 'Paymaster Policy use found!',
        data: [
          { rule: 'r', perUser: false, unit: 'count', amount: '5', used: '1', resetsAt: '2027-01-15T08:00:00.000Z' },
          { rule: 's', perUser: false, unit: 'wei', amount: '9', used: '9', resetsAt: null },
        ],
      },
    );
    await get(`/paymaster-policy/${shared}/use`);
    expect(asked).toMatchObject([
      { paymasterId, sender, policy: { policyId: own, rules: { limits: [{ amount: '5' }] } } },
      { paymasterId, policy: { policyId: shared, sharedVersion: 1 } },
    ]);
  });

  it.each([
    [`/paymaster-policy/${randomUUID()}/use`, 404, 'Paymaster Policy not found'],
    ['/paymaster-policy/x/use', 404, 'Paymaster Policy not found'],
    [`/paymaster-policy/${randomUUID()}/use?sender=me`, 400, 'sender must be an address'],
    [`/paymaster-policy/${randomUUID()}/use?user=me`, 400, 'the query parameter "user" is not known'],
  ])('answers to %s: %i %s', async (path, status, message) => {
    expect(await get(path)).toMatchObject({ status, body: { message } });
  });
});

describe('POST /explain', () => {
  it('asks with the blind index of the paymaster, never with its key, and passes on what the gateway refuses', async () => {
    const asked: object[] = [];
    await startGateway({
      explain: (question) => {
        asked.push(question);
        return Promise.reject(new Error('userOperation.callData must be bytes.'));
      },
    });
    const entryPoint = randomAddress();
    expect(await explain({ userOperation: USER_OPERATION, entryPoint })).toMatchObject({
      ...{ status: 400, body: refusal(400, 'INVALID_BODY', 'userOperation.callData must be bytes.') },
    });
    expect(asked).toMatchObject([{ chainId: 31337, userOperation: USER_OPERATION, entryPoint }]);
    expect(JSON.stringify(asked)).not.toContain(keys.apiKey);
  });

  it.each([
    [{}, 'userOperation must be an object'],
    [{ userOperation: { ...USER_OPERATION, nonce: [] } }, 'nonce must be text, or a whole number'],
    [{ userOperation: { ...USER_OPERATION, gas: '1' } }, 'gas'],
    [{ userOperation: USER_OPERATION, entryPoint: 'v0.7' }, 'entryPoint must be an address'],
  ])('refuses %j', async (body, message) => {
    expect(await explain(body)).toMatchObject({
      ...{ status: 400, body: { message: expect.stringContaining(message) } },
    });
  });

  it('refuses an operation that is too large for a message', async () => {
    const callData = `0x${'00'.repeat(200_000)}`;
    expect(await explain({ userOperation: { ...USER_OPERATION, callData } })).toMatchObject({
      ...{ status: 400, body: { message: 'what is asked is too large for a gateway' } },
    });
  });
});

describe('GET /price', () => {
  it('shows what the gateway says', async () => {
    await startGateway();
    const [{ index }] = await databaseOf(dashboard).query(
      'SELECT api_key_index AS index FROM dashboard.paymasters WHERE id = $1',
      [await paymasterIdOf(dashboard, keys)],
    );
    expect((await get('/price')).body.data).toMatchObject({
      nativeUsd: '3000',
      tokens: [{ symbol: `0x${index}`, usd: '1', premiumPercentage: '2.5', exposureCapWei: '10' }],
    });
  });
});
