import { until } from '@paymaster/domain/testing';
import { startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { NatsGate } from '../../testing/nats-gate';
import { contractBody, createPaymaster, type Keys } from '../../testing/requests';

// The gateway keeps its connection: only the dashboard is cut off.
let gate: NatsGate;
let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
beforeAll(async () => {
  gate = await NatsGate.start();
  dashboard = await startDashboard({ env: { NATS_URL: gate.url } });
  gate.open(dashboard.natsUrl);
  gateway = await ListeningGateway.connect({ natsUrl: dashboard.natsUrl });
  await untilNatsIs('up');
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
  await gate.stop();
});

const untilNatsIs = (status: 'up' | 'down') =>
  until(async () => {
    const { checks } = (await dashboard.app.inject('/health')).json<{ checks: Record<string, { status: string }> }>();
    return checks['nats']?.status === status;
  });

async function newPaymaster(): Promise<Keys & { paymasterId: string }> {
  const keys = await createPaymaster(dashboard);
  // After a cut, what broadcasts and what answers come back each for itself.
  await until(() => gateway.resolve('unknown').then(() => true, () => false)); // prettier-ignore
  return { ...keys, paymasterId: (await gateway.resolve(keys.apiKey))?.paymasterId ?? '' };
}

const explain = async (keys: Keys, explainToClients: boolean) =>
  expect(
    (await dashboard.call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body: { explainToClients } }))
      .status,
  ).toBe(200);

describe('changes while the dashboard is cut off from NATS', () => {
  it('are told when it is back, the last of each paymaster, and once', async () => {
    const [busy, other, quiet] = [await newPaymaster(), await newPaymaster(), await newPaymaster()];
    gate.close();
    await untilNatsIs('down');
    for (const on of [true, false, true]) await explain(busy, on);
    await explain(other, true);
    gate.open(dashboard.natsUrl);
    await until(() => gateway.versionsHeardOf(other.paymasterId).length > 0);
    expect(gateway.versionsHeardOf(busy.paymasterId)).toEqual([4]);
    expect(gateway.versionsHeardOf(other.paymasterId)).toEqual([2]);

    gate.close();
    await untilNatsIs('down');
    gate.open(dashboard.natsUrl);
    await untilNatsIs('up');
    await explain(quiet, true);
    await until(() => gateway.versionsHeardOf(quiet.paymasterId).length > 0);
    expect(gateway.versionsHeardOf(busy.paymasterId)).toEqual([4]);
  });

  it('are told when the dashboard does not know yet that it is cut off', async () => {
    const keys = await newPaymaster();
    const change = explain(keys, true);
    gate.close();
    await change;
    gate.open(dashboard.natsUrl);
    await until(() => gateway.versionsHeardOf(keys.paymasterId).includes(2));
  });

  it('do not fail a write that was made before NATS was there at all', async () => {
    const own = await NatsGate.start();
    const late = await startDashboard({ env: { NATS_URL: own.url } });
    try {
      const keys = await createPaymaster(late);
      await late.call({ method: 'POST', path: '/smart-contract', ...keys, body: contractBody() });
      const heard = await ListeningGateway.listen({ natsUrl: late.natsUrl });
      own.open(late.natsUrl);
      await until(() => heard.heard.some(({ version }) => version === 2));
      await heard.close();
    } finally {
      await late.stop();
      await own.stop();
    }
  });
});
