import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailableError } from '@paymaster/domain';
import {
  apiKeyIndex,
  createNatsClient,
  MessageAuthenticator,
  PolicyClient,
  SUBJECTS,
  type PolicyChangedEvent,
} from '@paymaster/messaging';
import { connect, type Msg, type NatsConnection } from 'nats';
import { CHAIN_ID, INDEX_KEY, startDashboard, type DashboardUnderTest } from '../testing/dashboard-under-test';
import { contractBody, createPaymaster, type Keys } from '../testing/requests';
import { until } from '../testing/until';

let dashboard: DashboardUnderTest;
let gateway: PolicyClient;
let rogue: NatsConnection;
let keys: Keys;
const heard: PolicyChangedEvent[] = [];

beforeAll(async () => {
  dashboard = await startDashboard();
  rogue = await connect({ servers: dashboard.natsUrl });
  gateway = new PolicyClient(
    createNatsClient({ natsUrl: dashboard.natsUrl }, 'gateway'),
    new MessageAuthenticator(INDEX_KEY),
  );
  gateway.start({ policyChanged: (event) => heard.push(event), reconnected: () => undefined });
  await until(() => gateway.connected);
  keys = await createPaymaster(dashboard);
  await dashboard.call({ method: 'POST', path: '/smart-contract', ...keys, body: contractBody() });
  await until(() => heard.length === 1);
});
afterAll(async () => {
  await gateway.close();
  await rogue.close();
  await dashboard.stop();
});

const resolve = () => gateway.resolve({ chainId: CHAIN_ID, apiKeyIndex: apiKeyIndex(keys.apiKey, INDEX_KEY) }, 'test');

/** Answers every question, long before the dashboard has asked its database. */
async function answeringFirst(answer: (message: Msg) => string, run: () => Promise<void>): Promise<void> {
  let asked = 0;
  const subscription = rogue.subscribe(SUBJECTS.policyResolve, {
    callback: (_error, message) => {
      asked++;
      message.respond(answer(message));
    },
  });
  await rogue.flush();
  await run();
  expect(asked).toBeGreaterThan(0);
  subscription.unsubscribe();
  await rogue.flush();
}

const envelope = ({ id }: { id: string }, response: unknown): string =>
  JSON.stringify({ id, response, isDisposed: true });
const forgery = JSON.stringify({ found: false });

describe('a process on NATS that is not the dashboard', () => {
  it.each<[string, (message: Msg) => string]>([
    ['garbage', () => '{not json'],
    ['null', () => 'null'],
    ['an error', (message) => JSON.stringify({ id: message.json<{ id: string }>().id, err: 'no', isDisposed: true })],
    ['a plain answer', (message) => envelope(message.json(), { found: false })],
    ['no proof', (message) => envelope(message.json(), { body: forgery })],
    ['a wrong proof', (message) => envelope(message.json(), { body: forgery, mac: '00'.repeat(32) })],
  ])('is not believed when it answers first, with %s, and does not drown the dashboard', async (_title, answer) => {
    await answeringFirst(answer, async () => expect(await resolve()).toMatchObject({ version: 2 }));
  });

  it('cannot answer a question with the dashboard’s reply to an earlier one', async () => {
    let recorded = '';
    const spy = rogue.subscribe('_INBOX.>', { callback: (_error, message) => (recorded = message.string()) });
    await rogue.flush();
    await resolve();
    await until(() => recorded !== '');
    spy.unsubscribe();
    const { response } = JSON.parse(recorded) as { response: unknown };

    await dashboard.call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body: { explainToClients: true } });
    await answeringFirst(
      (message) => envelope(message.json(), response),
      async () => expect(await resolve()).toMatchObject({ version: 3 }),
    );
  });

  it('announces nothing', async () => {
    const { paymasterId = '' } = (await resolve()) ?? {};
    const before = heard.length;
    const event = { paymasterId, version: 1e15 };
    const forged = new MessageAuthenticator('99'.repeat(32)).signChange(event);
    for (const data of [event, forged, null]) rogue.publish(SUBJECTS.policyChanged, JSON.stringify({ data }));
    rogue.publish(SUBJECTS.policyChanged, '{not json');
    await rogue.flush();
    await sleep(100);
    expect(heard).toHaveLength(before);
  });

  it('makes the dashboard unavailable, at worst, where it takes its place', async () => {
    await dashboard.app.close();
    await expect(resolve()).rejects.toThrow(DependencyUnavailableError);
    await answeringFirst(
      (message) => envelope(message.json(), { body: forgery, mac: '' }),
      async () => {
        await expect(resolve()).rejects.toThrow(DependencyUnavailableError);
      },
    );
  });
});
