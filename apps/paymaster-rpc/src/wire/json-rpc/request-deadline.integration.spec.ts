import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DependencyUnavailableError } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { JsonRpcHttp } from './json-rpc.http';
import type { HttpAnswer, JsonRpcServer } from './json-rpc.server';

describe('a request that takes too long', () => {
  let listening: Server;
  let url: string;
  let handed: Array<(answer: HttpAnswer) => void>;

  beforeEach(async () => {
    handed = [];
    const server: Pick<JsonRpcServer, 'handle' | 'refuse'> = {
      handle: () => new Promise((resolve) => handed.push(resolve)),
      refuse: (error) => ({ status: 503, body: JSON.stringify((error as DependencyUnavailableError).reason) }),
    };
    const http = new JsonRpcHttp({ trustedProxies: 0 }, () => undefined);
    await http.open(server as JsonRpcServer, 500);
    listening = http.createServer(() => undefined);
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
  });
  afterEach(() => {
    listening.closeAllConnections();
    return new Promise((resolve) => listening.close(resolve));
  });

  const ask = async (): Promise<[number, string]> => {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    return [answer.status, await answer.text()];
  };

  it('is answered by its deadline, and its later result is dropped', async () => {
    await expect(ask()).resolves.toEqual([503, '"REQUEST_TIMED_OUT"']);
    handed[0]!({ status: 200, body: '"late"', allowedOrigins: ['*'] });
    const second = ask();
    await until(() => handed.length === 2);
    handed[1]!({ status: 200, body: '"in time"', allowedOrigins: ['*'] });
    await expect(second).resolves.toEqual([200, '"in time"']);
  });

  it('is refused unread if the process stood still for longer than that', async () => {
    const clock = jest.spyOn(performance, 'now');
    // A clock that moves on by a minute at each reading.
    let nowMs = performance.now();
    clock.mockImplementation(() => (nowMs += 60_000));
    const refused = ask();
    await expect(refused).resolves.toEqual([503, '"OVERLOADED"']);
    clock.mockRestore();
    expect(handed).toHaveLength(0);
  });
});
