import { until } from '@paymaster/domain/testing';
import { SPONSORSHIP_STREAM } from '@paymaster/messaging';
import { connect, type NatsConnection } from 'nats';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';

let dashboard: DashboardUnderTest;
let connection: NatsConnection;
beforeAll(async () => {
  dashboard = await startDashboard();
  connection = await connect({ servers: dashboard.natsUrl });
});
afterAll(async () => {
  await connection.close();
  await dashboard.stop();
});

it('what is no event is kept for a person by every consumer of the stream, and the stream moves on', async () => {
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: SPONSORSHIP_STREAM, subjects: ['sponsorship.>'] });
  await connection.jetstream().publish('sponsorship.nonsense.p', '{"kind":"nonsense"}');
  const dead = () =>
    databaseOf(dashboard).query('SELECT consumer, event_id, subject, body FROM dashboard.dead_events ORDER BY 1');
  await until(async () => (await dead()).length === 2);
  const message = { event_id: null, subject: 'sponsorship.nonsense.p', body: '{"kind":"nonsense"}' };
  expect(await dead()).toEqual([
    { consumer: 'dashboard-operations', ...message },
    { consumer: 'dashboard-webhooks', ...message },
  ]);
  for (const consumer of ['dashboard-operations', 'dashboard-webhooks']) {
    await until(async () => (await manager.consumers.info(SPONSORSHIP_STREAM, consumer)).num_ack_pending === 0);
  }
});
