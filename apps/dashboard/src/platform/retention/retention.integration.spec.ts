import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster } from '../../testing/requests';
import { Retention } from './retention.service';

let dashboard: DashboardUnderTest;
beforeAll(async () => {
  dashboard = await startDashboard({ env: { EVENT_RETENTION_DAYS: '30' } });
});
afterAll(() => dashboard.stop());

const query = <T>(text: string): Promise<T[]> => databaseOf(dashboard).query(text);

it('forgets old refusals, ended deliveries and ids of events, and keeps what was granted or is not old', async () => {
  await createPaymaster(dashboard);
  for (const state of ['refused', 'settled', 'granted']) {
    await query(
      `INSERT INTO dashboard.operations (id, paymaster_id, chain_id, state, mode, sender, nonce, entry_point_version,
                                         created_at, updated_at)
       SELECT gen_random_uuid(), gen_random_uuid(), 1, '${state}', 'sponsored', '0x', 1, '0.7', now() - age * interval '1 day', now()
         FROM unnest(ARRAY[29, 31]) age, generate_series(1, 3000)`,
    );
  }
  await query(
    `INSERT INTO dashboard.webhooks (id, paymaster_id, url, request_type, active, events)
     SELECT gen_random_uuid(), id, 'https://hooks.example.org/', 'POST', true, '{voided}' FROM dashboard.paymasters`,
  );
  await query(
    `INSERT INTO dashboard.webhook_deliveries (webhook_id, event_id, type, body, status, ended_at)
     SELECT id, gen_random_uuid(), 't', '{}', status, CASE WHEN status <> 'pending' THEN now() - age * interval '1 day' END
       FROM dashboard.webhooks, unnest(ARRAY['pending', 'dead', 'delivered']) status, unnest(ARRAY[29, 31]) age`,
  );
  await query(
    `INSERT INTO dashboard.consumed_events SELECT gen_random_uuid(), now() - age * interval '1 day' FROM unnest(ARRAY[31, 59, 61]) age`,
  );
  await query(
    `INSERT INTO dashboard.account_events SELECT gen_random_uuid(), 1, now() - age * interval '1 hour', 'policy.changed', '{}'
       FROM unnest(ARRAY[23, 25]) age`,
  );
  await dashboard.app.get(Retention).forget();

  expect(
    await query(`SELECT state, count(*)::int AS n FROM dashboard.operations GROUP BY state ORDER BY state`),
  ).toEqual([
    { state: 'granted', n: 6_000 },
    { state: 'refused', n: 3_000 },
    { state: 'settled', n: 6_000 },
  ]);
  expect(await query(`SELECT status FROM dashboard.webhook_deliveries ORDER BY status`)).toEqual([
    { status: 'dead' },
    { status: 'delivered' },
    { status: 'pending' },
    { status: 'pending' },
  ]);
  expect(await query(`SELECT 1 FROM dashboard.consumed_events`)).toHaveLength(2);
  expect(await query(`SELECT 1 FROM dashboard.account_events`)).toHaveLength(1);
});
