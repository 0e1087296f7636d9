import { DependencyUnavailableError } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import {
  apiKeyIndex,
  createNatsClient,
  MessageAuthenticator,
  PolicyClient,
  SUBJECTS,
  type ResolvePolicyQuestion,
} from '@paymaster/messaging';
import { connect, type Msg, type NatsConnection } from 'nats';
import { CHAIN_ID, INDEX_KEY, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { contractBody, createPaymaster, type Keys } from '../../testing/requests';

let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
let rogue: NatsConnection;
let keys: Keys;

beforeAll(async () => {
  dashboard = await startDashboard();
  rogue = await connect({ servers: dashboard.natsUrl });
  gateway = await ListeningGateway.connect(dashboard);
  keys = await createPaymaster(dashboard);
  await dashboard.call({ method: 'POST', path: '/smart-contract', ...keys, body: contractBody() });
  await until(() => gateway.heard.length === 1);
});
afterAll(async () => {
  await gateway.close();
  await rogue.close();
  await dashboard.stop();
});

const resolve = () => gateway.resolve(keys.apiKey);
const explain = (explainToClients: boolean) =>
  dashboard.call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body: { explainToClients } });

/** Answers every question, long before the dashboard has asked its database. */
async function answeringFirst(
  answer: (message: Msg) => string,
  run: () => Promise<void>,
  subject: string = SUBJECTS.policyResolve,
): Promise<void> {
  let asked = 0;
  const subscription = rogue.subscribe(subject, {
    callback: (_error, message) => {
      asked++;
      message.respond(answer(message));
    },
  });
  await rogue.flush();
  try {
    await run();
    await until(() => asked > 0);
  } finally {
    subscription.unsubscribe();
    await rogue.flush();
  }
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

    await explain(true);
    await answeringFirst(
      (message) => envelope(message.json(), response),
      async () => expect(await resolve()).toMatchObject({ version: 3 }),
    );
  });

  // Questions are not signed: who sees one can ask it again with what the dashboard has, and pass on what that says.
  it.each([
    ['version', { version: 1 }],
    ['paymaster', { paymasterId: 'another' }],
  ])('cannot have another %s confirmed than the one that was asked about', async (_title, other) => {
    const { paymasterId = '', version = 0 } = (await resolve()) ?? {};
    const known = { paymasterId, version };
    const authenticator = new MessageAuthenticator(INDEX_KEY);
    const genuine = (message: Msg) => {
      const { data, id } = message.json<{ data: ResolvePolicyQuestion; id: string }>();
      const body = JSON.stringify({ found: true, unchanged: known });
      return envelope({ id }, authenticator.signReply(data, body));
    };
    await answeringFirst(genuine, async () => {
      expect(await gateway.confirm(keys.apiKey, known)).toBe('unchanged');
      const asked = gateway.confirm(keys.apiKey, { ...known, ...other });
      await expect(asked).rejects.toThrow(DependencyUnavailableError);
    });
  });

  it('confirms no copies: neither what it makes up nor the dashboard’s earlier answer is news', async () => {
    let recorded = '';
    const spy = rogue.subscribe('_INBOX.>', { callback: (_error, message) => (recorded = message.string()) });
    await rogue.flush();
    const { number } = await gateway.news();
    await until(() => recorded !== '');
    spy.unsubscribe();
    const { explainToClients = false } = (await resolve())?.settings ?? {};
    const heard = gateway.heard.length;
    await explain(!explainToClients);
    await until(() => gateway.heard.length > heard);

    const { response } = JSON.parse(recorded) as { response: unknown };
    const nothing = JSON.stringify({ number, changed: [] });
    for (const lie of [response, { body: nothing, mac: '00'.repeat(32) }, { number, changed: [] }]) {
      await answeringFirst(
        (message) => envelope(message.json(), lie),
        async () => expect((await gateway.news(number)).changed).toHaveLength(1),
        SUBJECTS.policyNews,
      );
    }
  });

  it('announces nothing', async () => {
    const { paymasterId = '', version = 0 } = (await resolve()) ?? {};
    const before = gateway.heard.length;
    const event = { paymasterId, version: 1e15 };
    const forged = new MessageAuthenticator('99'.repeat(32)).signChange(event);
    for (const data of [event, forged, null]) rogue.publish(SUBJECTS.policyChanged, JSON.stringify({ data }));
    rogue.publish(SUBJECTS.policyChanged, '{not json');
    await rogue.flush();
    // What the dashboard says after it is heard after it.
    await explain(false);
    await until(() => gateway.heard.length > before);
    expect(gateway.heard.slice(before)).toEqual([{ paymasterId, version: version + 1 }]);
  });

  it('makes the dashboard unavailable, at worst, where it takes its place', async () => {
    await dashboard.app.close();
    await expect(resolve()).rejects.toThrow(DependencyUnavailableError);
    const impatient = new PolicyClient(
      createNatsClient({ natsUrl: dashboard.natsUrl }, 'gateway'),
      new MessageAuthenticator(INDEX_KEY),
      1_000,
    );
    try {
      impatient.start({ policyChanged: () => undefined, reconnected: () => undefined });
      await until(() => impatient.connected);
      const question = { chainId: CHAIN_ID, apiKeyIndex: apiKeyIndex(keys.apiKey, INDEX_KEY) };
      await answeringFirst(
        (message) => envelope(message.json(), { body: forgery, mac: '' }),
        () => expect(impatient.resolve(question, { requestId: 'test' })).rejects.toThrow(DependencyUnavailableError),
      );
    } finally {
      await impatient.close();
    }
  });
});
