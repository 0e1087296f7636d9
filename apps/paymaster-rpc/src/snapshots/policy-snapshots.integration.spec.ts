import { onSamePort, startNats } from '@paymaster/devnet';
import type { Hex, PolicySnapshot } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { randomApiKey } from '../testing/api-key';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV06, type RpcAnswer } from '../testing/rpc-call';

/** Longer than the steps before it take, also on a machine that stalls now and then. */
const MAX_STALENESS_SECONDS = 15;

describe('policy snapshots over NATS', () => {
  let world: GatewayWorld;
  let callData: Hex;

  beforeAll(async () => {
    world = await startGatewayWorld({ env: { POLICY_MAX_STALENESS_SECONDS: `${MAX_STALENESS_SECONDS}` } });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  afterAll(() => world?.stop());

  const ask = (apiKey: string, headers?: Record<string, string>): Promise<RpcAnswer> => {
    const params = [wireOperationV06(callData), sponsoredMode()];
    return call(`${world.url}/api/v1/31337/${apiKey}`, 'pm_sponsorUserOperation', params, headers);
  };
  const sponsored = async (apiKey: string): Promise<boolean> => (await ask(apiKey)).json.result !== undefined;
  const health = async (): Promise<{ status: string; checks: Record<string, { status: string }> }> =>
    (await (await fetch(`${world.url}/health`)).json()) as never;
  /** NATS delivers the broadcast before the answer to a question that the gateway asked later. */
  const heard = async (broadcast: Promise<void>): Promise<void> => {
    await broadcast;
    await ask(randomApiKey());
  };
  const nothingWhitelisted = (snapshot: PolicySnapshot, version: number): PolicySnapshot => ({
    ...snapshot,
    version,
    contracts: [],
  });

  it('asks once for requests that come together, with the request id of one of them', async () => {
    const { apiKey } = world.newPaymaster();
    const before = world.responder.received.length;
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(apiKey, { 'x-request-id': 'trace-me' })));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(world.responder.received.slice(before)).toEqual([
      { chainId: 31337, apiKeyIndex: expect.stringMatching(/^[0-9a-f]{64}$/), requestId: 'trace-me' },
    ]);
  });

  it('obeys a change as soon as it is broadcast, and never goes back to a lower version', async () => {
    const { apiKey, snapshot } = world.newPaymaster();
    expect(await sponsored(apiKey)).toBe(true);

    world.responder.set(apiKey, nothingWhitelisted(snapshot, 2));
    await heard(world.responder.broadcast({ paymasterId: snapshot.paymasterId, version: 2 }));
    expect((await ask(apiKey)).json.error?.message).toContain('No policies were set');

    // A dashboard that lags behind answers with an older version than 3; the gateway must not sign by it.
    world.responder.set(apiKey, { ...snapshot, version: 1 });
    await heard(world.responder.broadcast({ paymasterId: snapshot.paymasterId, version: 3 }));
    expect((await ask(apiKey)).json.error).toMatchObject({ code: -32011, data: { dependency: 'dashboard' } });
  });

  it('asks again about a key that was unknown', async () => {
    const { apiKey, snapshot } = world.newPaymaster();
    world.responder.remove(apiKey);
    expect((await ask(apiKey)).json.error?.code).toBe(-32010);
    world.responder.set(apiKey, snapshot);
    await until(() => sponsored(apiKey), 'the new key is known');
  });

  it('asks nothing about keys that cannot exist', async () => {
    const before = world.responder.received.length;
    expect((await ask('nonsense')).status).toBe(401);
    expect(world.responder.received).toHaveLength(before);
  });

  it('signs from memory without NATS up to the staleness bound, then answers -32011, and recovers by itself', async () => {
    const { apiKey } = world.newPaymaster();
    expect(await sponsored(apiKey)).toBe(true);
    await world.broker.current.stop();
    await until(async () => (await health()).checks['policy']?.status === 'degraded', 'health tells');
    expect((await health()).status).toBe('degraded');

    expect(await sponsored(apiKey)).toBe(true);
    const unknown = await ask(randomApiKey());
    expect([unknown.status, unknown.json.error?.code, unknown.headers.get('retry-after')]).toEqual([503, -32011, '2']);

    // A request that makes no signature, so it can be repeated without using up limits.
    const chainId = () => call(`${world.url}/api/v1/31337/${apiKey}`, 'pm_chainId', []);
    await until(async () => (await chainId()).json.error !== undefined, 'the copy is too old');
    expect((await ask(apiKey)).json.error).toMatchObject({ code: -32011, data: { dependency: 'dashboard' } });
    await until(async () => (await fetch(`${world.url}/health/ready`)).status === 503, 'readiness tells');

    world.broker.current = await onSamePort(world.broker.current.port, (port) => startNats({ port }));
    await until(() => sponsored(apiKey), 'the gateway signs again');
    expect((await health()).checks['policy']?.status).toBe('up');
  });
});
