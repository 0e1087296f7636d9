import { faker } from '@faker-js/faker';
import { until } from '@paymaster/domain/testing';
import { SPONSORSHIP_STREAM } from '@paymaster/messaging';
import { Metrics } from '@paymaster/nest-kit';
import { connect } from 'nats';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../testing/dashboard-under-test';
import { createPaymaster } from '../testing/requests';

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
        'paymaster_policy_changes_untold',
      ]),
    );
  });
});

describe('what waits in Postgres', () => {
  const hook = async () => {
    const [made] = await databaseOf(dashboard).query<{ id: string }[]>(
      `INSERT INTO dashboard.webhooks (id, paymaster_id, url, request_type, active, events)
       SELECT gen_random_uuid(), id, 'https://example.org', 'POST', true, '{granted}' FROM dashboard.paymasters
        ORDER BY created_at DESC LIMIT 1 RETURNING id`,
    );
    return made?.id ?? '';
  };
  /** One that could have been tried so many seconds ago, or is tried in the future. */
  const delivery = (webhook: string, dueSecondsAgo: number) =>
    databaseOf(dashboard).query(
      `INSERT INTO dashboard.webhook_deliveries (webhook_id, event_id, type, body, next_attempt_at)
       VALUES ($1, gen_random_uuid(), 'granted', '{}', now() - $2 * interval '1 second')`,
      [webhook, dueSecondsAgo],
    );
  /** A scrape that looks anew. */
  const looked = async (sample: string) => {
    const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 16_000 * ++looks);
    try {
      return await valueOf(sample);
    } finally {
      later.mockRestore();
    }
  };
  let looks = 0;

  it('is counted: deliveries, and accounts that are kept waiting', async () => {
    await createPaymaster(dashboard);
    const first = await hook();
    await delivery(first, -3_600);
    expect(await looked('paymaster_webhook_deliveries_pending')).toBe(1);
    expect(await looked('paymaster_webhook_deliveries_oldest_due_seconds')).toBe(0);
    await delivery(first, 400);
    await delivery(first, 350);
    await createPaymaster(dashboard);
    await delivery(await hook(), 100);
    expect(await looked('paymaster_webhook_deliveries_pending')).toBe(4);
    expect(await looked('paymaster_webhook_deliveries_oldest_due_seconds')).toBeGreaterThanOrEqual(400);
    expect(await looked('paymaster_webhook_accounts_behind')).toBe(1);
  });

  it('is an event that was given up, until a person has taken it out', async () => {
    const dead = 'paymaster_dead_events{consumer="dashboard-webhooks"}';
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.dead_events (consumer, event_id, subject, body, deliveries, problem)
       VALUES ('dashboard-webhooks', NULL, 'sponsorship.x', '{', 5, 'no JSON')`,
    );
    expect(await looked(dead)).toBe(1);
    await databaseOf(dashboard).query('DELETE FROM dashboard.dead_events');
    expect(await looked(dead)).toBe(0);
  });
});

describe('the event stream', () => {
  const sample = (name: string, consumer = 'dashboard-operations') =>
    `paymaster_event_consumer_${name}{consumer="${consumer}"}`;

  it('is away, then read', async () => {
    expect(await valueOf(sample('up'))).toBe(0);
    expect((await series()).filter((each) => each.includes('consumer_pending'))).toEqual([]);
    const connection = await connect({ servers: dashboard.natsUrl });
    await (await connection.jetstreamManager()).streams.add({ name: SPONSORSHIP_STREAM, subjects: ['sponsorship.>'] });
    await connection.close();
    await until(async () => (await valueOf(sample('up'))) === 1);
    await until(async () => (await valueOf(sample('up', 'dashboard-webhooks'))) === 1);
    expect((await series()).filter((each) => each.includes('consumer_pending'))).toHaveLength(2);
  });
});
