import { randomBytes } from 'node:crypto';
import { startNats, type Nats } from '@paymaster/devnet';
import { policySnapshotBuilder, until } from '@paymaster/domain/testing';
import { apiKeyIndex, createNatsClient, MessageAuthenticator, PolicyClient } from '@paymaster/messaging';
import { randomApiKey } from '../testing/api-key';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { PolicyResponder } from '../testing/policy-responder';
import { PolicySnapshots } from './policy-snapshots.service';

/** All but that of setInterval, by which the gateway asks for news. */
const OTHER_CLOCKS = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setTimeout'] as const),
  ...(['clearImmediate', 'clearTimeout', 'cancelIdleCallback', 'requestIdleCallback'] as const),
];

let nats: Nats;
let responder: PolicyResponder;
const indexKey = randomBytes(32).toString('hex');
const clients: PolicyClient[] = [];

beforeAll(async () => {
  nats = await startNats();
});
beforeEach(async () => {
  responder = await PolicyResponder.start({ natsUrl: nats.url, indexKey });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await responder.stop();
});
afterAll(() => nats?.stop());

/** The client asks again after each quarter of this time; milliseconds. */
async function asker(deadlineMs: number): Promise<PolicyClient> {
  const connection = createNatsClient({ natsUrl: nats.url }, 'test');
  const client = new PolicyClient(connection, new MessageAuthenticator(indexKey), deadlineMs);
  clients.push(client);
  client.start({ policyChanged: () => undefined, reconnected: () => undefined });
  await until(() => client.connected, 'connected');
  return client;
}

const questionOf = (apiKey: string, chainId: number) => ({ chainId, apiKeyIndex: apiKeyIndex(apiKey, indexKey) });

it('asks again when the dashboard that took the question died with it', async () => {
  const client = await asker(8_000);
  const [apiKey, snapshot] = [randomApiKey(), policySnapshotBuilder().build()];
  responder.set(apiKey, snapshot);
  responder.silent = true;
  const answered = client.resolve(questionOf(apiKey, snapshot.chainId), { requestId: 'once' });
  await until(() => responder.received.length === 1, 'asked once');
  responder.silent = false;
  expect(await answered).toMatchObject({ policy: { paymasterId: snapshot.paymasterId } });
  expect(responder.received.map(({ requestId }) => requestId)).toEqual(['once', 'once']);
});

it('repeats at most a tenth of the questions (and a few at the start) when all answers are slow', async () => {
  const client = await asker(2_000);
  responder.silent = true;
  const asked = Array.from({ length: 100 }, () => client.resolve(questionOf(randomApiKey(), 1), { requestId: 'slow' }));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect(responder.received.length).toBeGreaterThan(100);
  expect(responder.received.length).toBeLessThanOrEqual(100 + 10 + 10);
});

describe('a gateway', () => {
  const [apiKey, snapshot] = [randomApiKey(), policySnapshotBuilder().build()];
  const { chainId } = snapshot;
  let client: PolicyClient;
  let gateway: PolicySnapshots;
  let laterMs: number;
  beforeEach(async () => {
    laterMs = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
    jest.useFakeTimers({ doNotFake: OTHER_CLOCKS });
    client = new PolicyClient(
      createNatsClient({ natsUrl: nats.url }, 'test'),
      new MessageAuthenticator(indexKey),
      8_000,
    );
    gateway = new PolicySnapshots(client, { policyMaxStalenessSeconds: 300 } as PaymasterRpcConfig);
    gateway.onApplicationBootstrap();
    await until(() => client.connected, 'connected');
    responder.set(apiKey, snapshot);
  });
  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await gateway.onApplicationShutdown();
  });

  const resolve = () =>
    gateway.resolve({ apiKeyIndex: apiKeyIndex(apiKey, indexKey), chainIds: [chainId], requestId: 'x' });
  const version = async () => (await resolve())?.snapshot.version;
  const questions = () => responder.received.filter(({ requestId }) => requestId === 'x').length;
  /** Time goes by, and the gateway asks for news. */
  const tick = async (ms: number) => {
    laterMs += ms;
    jest.advanceTimersByTime(2_000);
    // The answer to what is asked later comes later.
    await client.resolve(questionOf(randomApiKey(), chainId), { requestId: 'after the news' });
  };

  it('hears by news within ten seconds of a change whose broadcast was lost, and asks about no copy by itself', async () => {
    await tick(0);
    expect(await version()).toBe(1);
    for (let waited = 0; waited < 50_000; waited += 6_000) await tick(6_000);
    expect([await version(), questions()]).toEqual([1, 1]);
    responder.set(apiKey, { ...snapshot, version: 2 });
    expect(await version()).toBe(1);
    await tick(6_000);
    expect(await version()).toBe(2);
  });

  it('asks a dashboard of the version before about each copy, and hears news when that is replaced', async () => {
    await responder.stop();
    responder = await PolicyResponder.start({ natsUrl: nats.url, indexKey, knowsNews: false });
    responder.set(apiKey, snapshot);
    for (const asked of [1, 2]) {
      expect([await version(), questions()]).toEqual([1, asked]);
      await tick(11_000);
    }
    expect(responder.newsAsked).toBe(0);

    await responder.stop();
    responder = await PolicyResponder.start({ natsUrl: nats.url, indexKey });
    responder.set(apiKey, snapshot);
    await tick(0);
    expect([await version(), questions()]).toEqual([1, 1]);
    for (let waited = 0; waited < 50_000; waited += 6_000) await tick(6_000);
    expect([await version(), questions()]).toEqual([1, 1]);
  });
});
