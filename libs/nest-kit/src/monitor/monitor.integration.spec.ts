import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { HealthService } from '../health/health.service';
import { Metrics } from '../metrics/metrics';
import { Monitor, MonitorPortError, openMonitor } from './monitor';

const HOST = '127.0.0.1';
let monitor: Monitor;

beforeEach(async () => {
  monitor = await Monitor.open({ host: HOST, port: 0 });
});
afterEach(() => monitor.close());

const ask = (path: string, method = 'GET') => fetch(`http://${HOST}:${monitor.port}${path}`, { method });
const statusesOf = async (...paths: string[]) => Promise.all(paths.map(async (path) => (await ask(path)).status));

describe('Monitor', () => {
  it('says that a process that still boots is alive and not ready', async () => {
    expect(await statusesOf('/health/live', '/health/ready', '/metrics', '/health')).toEqual([200, 503, 503, 200]);
    expect(await (await ask('/health')).json()).toMatchObject({ status: 'unavailable', checks: { boot: {} } });
  });

  it('answers for the app once there is one, and is not ready while it drains', async () => {
    const health = new HealthService([{ name: 'signer', essential: true, check: () => ({ status: 'up' }) }]);
    monitor.watch({ health, metrics: new Metrics() });
    expect(await statusesOf('/health/live', '/health/ready?verbose', '/health')).toEqual([200, 200, 200]);
    const metrics = await ask('/metrics');
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await metrics.text()).toContain('nodejs_eventloop_lag_seconds ');
    health.startDraining();
    expect(await statusesOf('/health/live', '/health/ready', '/health', '/metrics')).toEqual([200, 503, 200, 200]);
  });

  it('answers nothing else', async () => {
    expect(await statusesOf('/', '/health/', '/metrics/all', '/api/v2/1')).toEqual([404, 404, 404, 404]);
    expect((await ask('/metrics', 'POST')).status).toBe(405);
    expect((await ask('/health/live', 'HEAD')).status).toBe(200);
  });

  it('survives numbers that cannot be read', async () => {
    const broken = { contentType: Registry.PROMETHEUS_CONTENT_TYPE, render: () => Promise.reject(new Error('no')) };
    monitor.watch({ health: new HealthService([]), metrics: broken });
    await expect(ask('/metrics')).rejects.toThrow();
    expect(await statusesOf('/health/ready')).toEqual([200]);
  });
});

describe('openMonitor', () => {
  it('opens no port when none is asked for', async () => {
    expect(await openMonitor({ host: HOST })).toBeUndefined();
  });

  it('names the variable and the address when the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, HOST, resolve));
    const { port } = other.address() as AddressInfo;
    const opening = openMonitor({ host: HOST, monitorPort: port });
    await expect(opening).rejects.toThrow(MonitorPortError);
    await expect(opening).rejects.toThrow(
      `MONITOR_PORT cannot be opened on ${HOST}:${port}: another process listens there`,
    );
    other.close();
  });
});
