import { DEFAULT_PAYMASTER_SETTINGS, type SponsorshipPolicy } from '@paymaster/domain';
import { rulesPolicyBuilder } from '@paymaster/domain/testing';
import { answers, WebhookReceiver } from '@paymaster/webhooks/testing';
import { startGatewayWorld, type GatewayWorld } from '../../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV07 } from '../../testing/rpc-call';

const SIGNING_KEY = '03'.repeat(32);

describe("the owner's webhook", () => {
  let world: GatewayWorld;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    world = await startGatewayWorld({ env: { WEBHOOK_SIGNING_KEY: SIGNING_KEY, WEBHOOK_ALLOW_INSECURE: 'true' } });
  });
  beforeEach(() => {
    receiver.requests.length = 0;
    receiver.behaviour = answers(200, { arePoliciesVerified: true });
  });
  afterAll(async () => {
    await world?.stop();
    await receiver?.stop();
  });

  const hook = (method: 'GET' | 'POST' = 'POST'): SponsorshipPolicy => ({
    ...{ policyId: 'hook', name: 'Hook', type: 'WEBHOOK' },
    webhook: { webhookId: 'hook', url: receiver.url, method, secretVersions: [1] },
  });
  const once = rulesPolicyBuilder({
    limits: [{ id: 'a', scope: 'PAYMASTER', measure: 'COUNT', amount: 1n, cycle: 'LIFETIME' }],
  }).build();
  const newPaymaster = (...policies: SponsorshipPolicy[]) =>
    world.newPaymaster({ policies, settings: { ...DEFAULT_PAYMASTER_SETTINGS, explainToClients: true } });
  const operation = () => wireOperationV07(executeCall({ to: world.demo.address, data: world.demo.callData }));
  const ask = async ({ apiKey }: { apiKey: string }, method = 'pm_sponsorUserOperation', op: object = operation()) =>
    (await call(`${world.url}/api/v2/31337/${apiKey}`, method, [op, modeWith({ userId: 7 })])).json;
  const modeWith = (webhookData: object) =>
    sponsoredMode({ sponsorshipInfo: { webhookData, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } } });

  it("is asked with the client's data and the operation's cost before anything is signed", async () => {
    const { result } = await ask(newPaymaster(hook()));
    expect(result?.['paymasterAndData']).toMatch(/^0x[0-9a-f]+$/);
    expect(receiver.requests).toHaveLength(1);
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({
      data: { userId: 7 },
      userOp: { callGasLimit: '100000' },
      decodedCalls: [{ to: world.demo.address, valueWei: '0' }],
      costWei: expect.stringMatching(/^[1-9]\d+$/),
      costUsd: null,
    });
  });

  it('is not asked with data that is too long for its URL', async () => {
    const byGet = newPaymaster(hook('GET'));
    const mode = modeWith({ note: 'a'.repeat(3_000) });
    const url = `${world.url}/api/v2/31337/${byGet.apiKey}`;
    const entryPoint = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';
    for (const params of [[mode], [entryPoint, mode]]) {
      const { status, json } = await call(url, 'pm_sponsorUserOperation', [operation(), ...params]);
      const field = `params[${params.length}].sponsorshipInfo.webhookData`;
      expect([status, json.error]).toMatchObject([400, { code: -32602, data: { field } }]);
    }
    expect(receiver.requests).toHaveLength(0);
    expect((await ask(byGet)).result).toBeDefined();
  });

  it('refuses when it says no, and holds no budget', async () => {
    const paymaster = newPaymaster(hook(), once);
    receiver.behaviour = answers(200, { arePoliciesVerified: false });
    for (let i = 0; i < 3; i++) {
      expect((await ask(paymaster)).error).toMatchObject({ code: -32501, data: { reason: 'WEBHOOK_REFUSED' } });
    }
    receiver.behaviour = answers(200, { arePoliciesVerified: true });
    const { result } = await ask(paymaster);
    expect(result).toBeDefined();
  });

  it('refuses when its answer is not understood, with a trace that ends there', async () => {
    receiver.behaviour = answers(200, { verified: 'yes' });
    const { error } = await ask(newPaymaster(hook()));
    expect(error).toMatchObject({ code: -32501, data: { reason: 'WEBHOOK_FAILED' } });
    const trace = error?.data['trace'] as { rule: string; outcome: string }[];
    expect(trace.length).toBeGreaterThan(10);
    expect(trace.at(-1)).toMatchObject({ rule: 'webhook', outcome: 'refuse' });
  });

  it('is not asked for what the policy refuses anyway, nor for stubs and explanations', async () => {
    const paymaster = newPaymaster(hook());
    const other = wireOperationV07(executeCall({ to: world.demo.address, data: '0xdeadbeef' }));
    expect((await ask(paymaster, 'pm_sponsorUserOperation', other)).error?.data['reason']).toBe(
      'METHOD_NOT_WHITELISTED',
    );
    expect((await ask(paymaster, 'pm_explain')).result).toMatchObject({ sponsored: true });
    const entryPoint = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';
    const url = `${world.url}/api/v2/31337/${paymaster.apiKey}`;
    const stub = await call(url, 'pm_getPaymasterStubData', [operation(), entryPoint, '0x7a69', null]);
    expect(stub.json.result).toBeDefined();
    expect(receiver.requests).toHaveLength(0);
  });
});

describe("an owner's webhook that answers after the request's deadline", () => {
  it('causes no hold and no signature', async () => {
    const receiver = await WebhookReceiver.start();
    const world = await startGatewayWorld({
      env: { WEBHOOK_SIGNING_KEY: SIGNING_KEY, WEBHOOK_ALLOW_INSECURE: 'true' },
      deadlines: { requestMs: 1_500, ledgerMs: 60_000, policyMs: 60_000, decisionMs: 60_000 },
    });
    try {
      const webhook = { webhookId: 'hook', url: receiver.url, method: 'POST', secretVersions: [1] } as const;
      const hooked = world.newPaymaster({ policies: [{ policyId: 'h', name: 'h', type: 'WEBHOOK', webhook }] });
      const operation = wireOperationV07(executeCall({ to: world.demo.address, data: world.demo.callData }));
      const ask = () =>
        call(`${world.url}/api/v2/31337/${hooked.apiKey}`, 'pm_sponsorUserOperation', [operation, sponsoredMode()]);
      const verified = answers(200, { arePoliciesVerified: true });
      let answerLate: () => void = () => undefined;
      receiver.behaviour = (response, request) => (answerLate = () => verified(response, request));
      const { json } = await ask();
      expect(json.error).toMatchObject({ code: -32011, data: { reason: 'REQUEST_TIMED_OUT' } });
      expect(receiver.requests).toHaveLength(1);
      answerLate();
      // Longer than it takes to hold and sign an operation, as the same request shows.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await world.ledger.rows('SELECT FROM ledger.reservations')).toEqual([]);
      receiver.behaviour = verified;
      expect((await ask()).json.result).toBeDefined();
      expect(await world.ledger.rows('SELECT FROM ledger.reservations')).toHaveLength(1);
    } finally {
      await world.stop();
      await receiver.stop();
    }
  });
});

describe('a gateway without the key of webhooks', () => {
  it('sponsors nothing for owners who want to be asked, and everything else', async () => {
    const world = await startGatewayWorld();
    try {
      const webhook = { webhookId: 'hook', url: 'https://example.org/', method: 'POST', secretVersions: [1] } as const;
      const hooked = world.newPaymaster({ policies: [{ policyId: 'h', name: 'h', type: 'WEBHOOK', webhook }] });
      const operation = wireOperationV07(executeCall({ to: world.demo.address, data: world.demo.callData }));
      const ask = ({ apiKey }: { apiKey: string }) =>
        call(`${world.url}/api/v2/31337/${apiKey}`, 'pm_sponsorUserOperation', [operation, sponsoredMode()]);
      expect((await ask(hooked)).json.error?.data['reason']).toBe('WEBHOOK_FAILED');
      expect((await ask(world.newPaymaster())).json.result).toBeDefined();
    } finally {
      await world.stop();
    }
  });
});
