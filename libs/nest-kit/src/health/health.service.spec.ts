import type { HealthCheck, HealthReport } from './health-check';
import { HealthService } from './health.service';

const check = (name: string, essential: boolean, report: () => HealthReport | Promise<HealthReport>): HealthCheck => ({
  name,
  essential,
  check: report,
});

describe('HealthService', () => {
  it('is ok when everything is up', async () => {
    const target = new HealthService([check('database', true, () => ({ status: 'up' }))]);
    expect(await target.summarize()).toEqual({ status: 'ok', checks: { database: { essential: true, status: 'up' } } });
  });

  it('is only degraded when something it can work without is down', async () => {
    const target = new HealthService([check('nats', false, () => ({ status: 'down', detail: 'no connection' }))]);
    expect(await target.summarize()).toMatchObject({ status: 'degraded', checks: { nats: { status: 'down' } } });
  });

  it('is unavailable when something essential is down, throws or hangs', async () => {
    const down = new HealthService([check('signer', true, () => ({ status: 'down' }))]);
    const throwing = new HealthService([check('signer', true, () => Promise.reject(new TypeError('secret text')))]);
    const hanging = new HealthService([check('signer', true, () => new Promise(() => undefined))]);
    expect((await down.summarize()).status).toBe('unavailable');
    expect(await throwing.summarize()).toMatchObject({
      status: 'unavailable',
      checks: { signer: { detail: 'TypeError' } },
    });
    expect((await hanging.summarize()).status).toBe('unavailable');
  });

  it('is unavailable while the process drains', async () => {
    const target = new HealthService([]);
    target.startDraining();
    expect((await target.summarize()).status).toBe('unavailable');
  });
});
