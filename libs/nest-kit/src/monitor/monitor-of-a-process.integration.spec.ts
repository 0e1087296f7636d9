import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@paymaster/domain/testing';

let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
};
/** The status, or 0 where the port is closed. */

const statusOf = (port: number, path: string): Promise<number> =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } }).then(({ status }) => status, () => 0); // prettier-ignore
function start(...ports: number[]): ChildProcess {
  const script = join(__dirname, 'testing/slow-app.ts');
  return spawn(process.execPath, ['-r', './devnet/load-typescript.cjs', script, ...ports.map(String)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

describe('the monitor port of a process', () => {
  it('answers while it boots, runs and drains, until the last request is answered', async () => {
    const [port, monitorPort] = [await freePort(), await freePort()];
    child = start(port, monitorPort);
    const ended = once(child, 'exit');

    await until(async () => (await statusOf(monitorPort, '/health/live')) === 200);
    expect([await statusOf(monitorPort, '/health/ready'), await statusOf(port, '/health/live')]).toEqual([503, 0]);
    await until(async () => (await statusOf(monitorPort, '/health/ready')) === 200);
    expect([await statusOf(monitorPort, '/metrics'), await statusOf(port, '/metrics')]).toEqual([200, 404]);

    const lastRequest = statusOf(port, '/slow');
    await sleep(500);
    child.kill('SIGTERM');
    await until(async () => (await statusOf(monitorPort, '/health/ready')) === 503);
    expect([await statusOf(monitorPort, '/health/live'), await statusOf(monitorPort, '/metrics')]).toEqual([200, 200]);
    expect(await lastRequest).toBe(200);
    expect((await ended)[0]).toBe(0);
    expect(await statusOf(monitorPort, '/health/live')).toBe(0);
  });

  it('is closed by a signal that comes while the process boots', async () => {
    const monitorPort = await freePort();
    child = start(await freePort(), monitorPort);
    const ended = once(child, 'exit');
    await until(async () => (await statusOf(monitorPort, '/health/live')) === 200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('stops the boot with one sentence if the port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    child = start(await freePort(), port);
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    expect((await once(child, 'close'))[0]).toBe(1);
    expect(said).toBe(`MONITOR_PORT cannot be opened on 127.0.0.1:${port}: another process listens there\n`);
    taken.close();
  });
});
