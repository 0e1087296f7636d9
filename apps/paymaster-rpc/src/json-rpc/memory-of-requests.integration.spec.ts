import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { DependencyUnavailableError } from '@paymaster/domain';
import { JsonRpcHttp } from './json-rpc.http';
import type { JsonRpcServer } from './json-rpc.server';
import { BODY_LIMIT_BYTES } from './read-body';

/** More than the kernel takes of a connection whose other end does not read. */
const LARGE = '"'.padEnd(12_000_000, 'a') + '"';
const LARGEST_BODY = ' '.repeat(BODY_LIMIT_BYTES);

describe('what requests keep of memory', () => {
  let listening: Server;
  let port: number;
  let sockets: Socket[];

  beforeEach(async () => {
    sockets = [];
    const server: Pick<JsonRpcServer, 'handle' | 'refuse'> = {
      handle: async (body) => ({
        status: 200,
        body: Buffer.from(body).toString() === '"large"' ? LARGE : '"small"',
        allowedOrigins: ['*'],
      }),
      refuse: (error) => ({ status: 503, body: JSON.stringify((error as DependencyUnavailableError).reason) }),
    };
    const http = new JsonRpcHttp({ trustedProxies: 0 }, () => undefined);
    await http.open(server as JsonRpcServer);
    listening = http.createServer(() => undefined);
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    port = (listening.address() as AddressInfo).port;
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    listening.closeAllConnections();
    return new Promise((resolve) => listening.close(resolve));
  });

  const ask = async (body = '"ask"'): Promise<[number, string]> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
    return [answer.status, (await answer.text()).slice(0, 100)];
  };

  /** Sends a request and as much of its body, and reads nothing. */
  const open = (length: number, body: string | Buffer): void => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`);
      socket.write(body);
    });
    sockets.push(socket.on('error', () => undefined).pause());
  };

  const until = async (condition: () => Promise<boolean>): Promise<void> => {
    const endsAtMs = performance.now() + 30_000;
    while (!(await condition())) {
      if (performance.now() > endsAtMs) throw new Error('it does not come to that');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const isRefused = async (body?: string): Promise<boolean> => (await ask(body))[1] === '"OVERLOADED"';

  it('is bounded over all bodies that are not complete, and free again when their clients have gone', async () => {
    const unfinished = Buffer.alloc(BODY_LIMIT_BYTES - 1, ' ');
    for (let sent = 0; sent < 300; sent++) open(BODY_LIMIT_BYTES, unfinished);
    await until(() => isRefused(LARGEST_BODY));
    for (const socket of sockets) socket.destroy();
    await until(async () => !(await isRefused(LARGEST_BODY)));
    for (let sent = 0; sent < 300; sent++) expect(await ask(LARGEST_BODY)).toEqual([200, '"small"']);
  });

  it('is bounded over all large answers that nobody reads, while small ones go on', async () => {
    for (let sent = 0; sent < 8; sent++) open(7, '"large"');
    await until(() => isRefused('"large"'));
    expect(await ask()).toEqual([200, '"small"']);
    for (const socket of sockets) socket.destroy();
    await until(async () => !(await isRefused('"large"')));
    for (let sent = 0; sent < 8; sent++) expect((await ask('"large"'))[0]).toBe(200);
  });
});
