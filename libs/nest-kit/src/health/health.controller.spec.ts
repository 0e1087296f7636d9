import { HealthController } from './health.controller';
import type { HealthCheck } from './health-check';
import { HealthService } from './health.service';

const check = (essential: boolean): HealthCheck => ({
  ...{ name: 'nats', essential },
  check: () => Promise.resolve({ status: 'down', detail: 'no connection to 10.0.0.7' }),
});
const reply = { status: () => undefined };
const controllerOf = (essential: boolean, showsDetails: boolean) =>
  new HealthController(new HealthService([check(essential)]), showsDetails);

describe('HealthController', () => {
  it('says no more than up or not where another port is there for the details', async () => {
    for (const essential of [false, true]) {
      const status = essential ? 'unavailable' : 'ok';
      const controller = controllerOf(essential, false);
      expect([await controller.details(), await controller.ready(reply)]).toEqual([{ status }, { status }]);
    }
  });

  it('shows the details where it is the only port', async () => {
    expect(await controllerOf(false, true).details()).toMatchObject({
      ...{ status: 'degraded', checks: { nats: { detail: 'no connection to 10.0.0.7' } } },
    });
  });
});
