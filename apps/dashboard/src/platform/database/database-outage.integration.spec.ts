import { startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster, type Keys } from '../../testing/requests';

let dashboard: DashboardUnderTest;
let keys: Keys;
beforeAll(async () => {
  dashboard = await startDashboard({ ownPostgres: true });
  keys = await createPaymaster(dashboard);
  await dashboard.postgres.stop();
});
afterAll(() => dashboard.stop());

describe('with Postgres down', () => {
  it('answers 503 with the envelope and Retry-After', async () => {
    const answer = await dashboard.call({ method: 'GET', path: '/smart-contract', ...keys });
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({ statusCode: 503, message: 'The service is temporarily unavailable' });
    expect(answer.headers['retry-after']).toBe('2');
  });

  it('is not ready, but alive', async () => {
    expect((await dashboard.app.inject('/health/ready')).statusCode).toBe(503);
    expect((await dashboard.app.inject('/health/live')).statusCode).toBe(200);
  });
});
