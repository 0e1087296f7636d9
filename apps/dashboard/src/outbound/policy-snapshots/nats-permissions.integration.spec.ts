import { join } from 'node:path';
import { startNats, type Nats } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { MessageAuthenticator, natsConnectionOptions, SUBJECTS, type NatsSettings } from '@paymaster/messaging';
import { connect, Events, type NatsConnection } from 'nats';
import { INDEX_KEY, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { contractBody, createPaymaster, type Keys } from '../../testing/requests';

const CONF = join(__dirname, '../../../../../k8s/base/nats/nats.conf');
/** Digits with an exponent: what the server takes for a number when it is not quoted. */
const DASHBOARD_PASSWORD = '12e4567890';
const GATEWAY_PASSWORD = '0099e1';

let nats: Nats;
let dashboard: DashboardUnderTest;
let dashboardUser: NatsSettings;
let gatewayUser: NatsSettings;
const closers: Array<() => Promise<unknown>> = [];

beforeAll(async () => {
  const env = {
    NATS_DASHBOARD_PASSWORD: `"${DASHBOARD_PASSWORD}"`,
    NATS_PAYMASTER_RPC_PASSWORD: `"${GATEWAY_PASSWORD}"`,
    NATS_SETTLEMENT_PASSWORD: '"unused"',
    NATS_STREAM_MAKER_PASSWORD: '"unused"',
  };
  nats = await startNats({ config: { file: CONF, env } });
  dashboardUser = { natsUrl: nats.url, natsUser: 'dashboard', natsPassword: DASHBOARD_PASSWORD };
  gatewayUser = { natsUrl: nats.url, natsUser: 'paymaster-rpc', natsPassword: GATEWAY_PASSWORD };
  dashboard = await startDashboard({
    nats: false,
    env: { NATS_URL: nats.url, NATS_USER: 'dashboard', NATS_PASSWORD: DASHBOARD_PASSWORD },
  });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await dashboard.stop();
  await nats.stop();
});

async function connectGateway(): Promise<ListeningGateway> {
  const gateway = await ListeningGateway.connect(gatewayUser);
  closers.push(() => gateway.close());
  return gateway;
}

/** A change that the dashboard announces. */
async function changePolicy(): Promise<Keys> {
  const keys = await createPaymaster(dashboard);
  await dashboard.call({ method: 'POST', path: '/smart-contract', ...keys, body: contractBody() });
  return keys;
}

async function connectionOf(settings: NatsSettings): Promise<NatsConnection & { problems: string[] }> {
  const connection = await connect(natsConnectionOptions(settings, 'test'));
  closers.push(() => connection.close());
  const problems: string[] = [];
  void (async () => {
    for await (const { type, data } of connection.status()) if (type === Events.Error) problems.push(String(data));
  })();
  return Object.assign(connection, { problems });
}

describe('NATS with a user per app', () => {
  it('carries questions and broadcasts between the apps with the right credentials', async () => {
    const gateway = await connectGateway();
    const { apiKey } = await changePolicy();
    await until(() => gateway.heard.length === 1);
    expect(await gateway.resolve(apiKey)).toMatchObject({ version: 2, paymasterId: gateway.heard[0]?.paymasterId });
    expect(await gateway.news(0)).toMatchObject({ number: 1, changed: [{ version: 2 }] });
    expect((await dashboard.app.inject('/health')).json()).toMatchObject({ checks: { nats: { status: 'up' } } });
  });

  it.each<[string, () => NatsSettings]>([
    ['no credentials', () => ({ natsUrl: nats.url })],
    ['a wrong password', () => ({ ...gatewayUser, natsPassword: DASHBOARD_PASSWORD })],
    ['an unknown user', () => ({ ...gatewayUser, natsUser: 'root' })],
  ])('lets nobody in with %s', async (_title, settings) => {
    // Once, where the apps would try for as long as it takes.
    const options = { ...natsConnectionOptions(settings(), 'test'), waitOnFirstConnect: false, reconnect: false };
    await expect(connect(options)).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
  });

  it('does not let a gateway announce changes or answer questions', async () => {
    const listener = await connectGateway();
    const gateway = await connectionOf(gatewayUser);
    // With a good proof: the permission alone keeps it out.
    const data = new MessageAuthenticator(INDEX_KEY).signChange({ paymasterId: 'x', version: 9 });
    const forged = JSON.stringify({ data });
    gateway.publish(SUBJECTS.policyChanged, forged);
    const answers = gateway.subscribe(SUBJECTS.policyResolve, { callback: () => undefined });
    await until(() => gateway.problems.length === 2);
    expect(gateway.problems.join()).toMatch(/PERMISSIONS_VIOLATION|Permissions Violation/i);
    await until(() => answers.isClosed());
    // What the dashboard announces after it is heard after it.
    await changePolicy();
    await until(() => listener.heard.length > 0);
    expect(listener.heard).toMatchObject([{ version: 2 }]);
  });

  it('does not let a dashboard ask, nor hear other answers', async () => {
    const connection = await connectionOf(dashboardUser);
    connection.publish(SUBJECTS.policyResolve, '{}');
    connection.subscribe('_INBOX.>', { callback: () => undefined });
    await until(() => connection.problems.length === 2);
  });
});
