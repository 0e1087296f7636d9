import { faker } from '@faker-js/faker';
import { Metrics } from '@paymaster/nest-kit';
import { startDashboard, type DashboardUnderTest } from '../testing/dashboard-under-test';
import { createPaymaster } from '../testing/requests';
import { until } from '../testing/until';

let dashboard: DashboardUnderTest;

beforeAll(async () => {
  // Shared with nobody, and so many that no request of a test is too many.
  dashboard = await startDashboard({ env: { RATE_LIMIT_PER_TOKEN_PER_MINUTE: '100000' } });
});
afterAll(() => dashboard?.stop());

const lines = async () => (await dashboard.app.get(Metrics, { strict: false }).render()).split('\n');
const valueOf = async (sample: string) => {
  const line = (await lines()).find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? 0);
};
const series = async () => (await lines()).flatMap((line) => /^(paymaster_[^ ]+) /.exec(line)?.[1] ?? []).sort();

describe('REST requests', () => {
  it('are counted by the pattern of their route, method and status', async () => {
    const keys = await createPaymaster(dashboard);
    const route = '/api/v2/public/sdk/paymaster-policy/:policyId';
    const id = faker.string.uuid();
    const { status } = await dashboard.call({ method: 'DELETE', path: `/paymaster-policy/${id}`, ...keys });
    expect(await valueOf(`paymaster_http_requests_total{route="${route}",method="DELETE",status="${status}"}`)).toBe(1);
    expect(await valueOf(`paymaster_http_request_seconds_count{route="${route}",method="DELETE"}`)).toBe(1);
    expect((await lines()).join('\n')).not.toContain(id);
  });

  it('of strangers add no series', async () => {
    const annoy = async () => {
      const path = `/${faker.string.alphanumeric(12)}`;
      await dashboard.call({ method: 'GET', path, authToken: faker.string.alphanumeric(64) });
      await dashboard.call({ method: 'GET', path: `/paymaster-policy${path}`, apiKey: faker.string.uuid() });
      await dashboard.app.inject({ method: 'PUT', url: path });
    };
    await annoy();
    const before = await series();
    for (let round = 0; round < 1_000 / 3; round++) await annoy();
    expect(await series()).toEqual(before);
    expect(before.filter((each) => each.includes('route="none"'))).not.toEqual([]);
  });

  it('have limits that are shared with the other processes', async () => {
    await until(async () => (await valueOf('paymaster_rate_sharing')) === 1);
    await dashboard.call({ method: 'GET', path: '/paymaster-policy', apiKey: faker.string.uuid() });
    await until(async () => (await valueOf('paymaster_rate_messages_total{what="told"}')) > 0);
  });

  it('stand beside what the dashboard is connected to', async () => {
    expect(await valueOf('paymaster_postgres_pool_total')).toBeGreaterThan(0);
    const names = (await series()).map((each) => each.split('{')[0]);
    expect(names).toEqual(
      expect.arrayContaining([
        ...['paymaster_ready', 'paymaster_nats_connected', 'paymaster_nats_reconnects_total'],
        ...['paymaster_postgres_pool_waiting', 'paymaster_webhook_deliveries_total'],
      ]),
    );
  });
});
