import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { DependencyUnavailableError } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { JsonRpcHttp } from './json-rpc.http';
import type { JsonRpcServer } from './json-rpc.server';
import { BODY_LIMIT_BYTES } from './read-body';

const LARGE = '"'.padEnd(12_000_000, 'a') + '"';
const LARGEST_BODY = ' '.repeat(BODY_LIMIT_BYTES);
/** Reading 300 bodies at once may hold this process up for seconds; a server that was held up refuses for that alone. */
const NO_DEADLINE_MS = 600_000;

describe('the memory that requests use', () => {
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
    await http.open(server as JsonRpcServer, NO_DEADLINE_MS);
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

  /** Sends a request with a part of its body, once or again and again, and reads no answer. */
  const open = (length: number, body: string, everyMs?: number): Socket => {
    const head = `POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
    const socket = connect(port, '127.0.0.1', () => socket.write(head + body));
    if (everyMs !== undefined) {
      const again = setInterval(() => socket.write(head + body), everyMs);
      socket.once('close', () => clearInterval(again));
    }
    sockets.push(socket.on('error', () => undefined).pause());
    return socket;
  };

  const isRefused = async (body?: string): Promise<boolean> => (await ask(body))[1] === '"OVERLOADED"';

  it('is bounded for incomplete bodies: the oldest are given up for clients that send quickly', async () => {
    const unfinished = ' '.repeat(BODY_LIMIT_BYTES - 1);
    let cut = 0;
    // On a busy machine these requests may themselves time out: then they get a 408, and were not given up to make
    // room.
    const count = (answer: Buffer): void => void (String(answer).startsWith('HTTP/1.1 503 ') && cut++);
    for (let sent = 0; sent < 300; sent++) open(BODY_LIMIT_BYTES, unfinished).once('data', count);
    sockets.forEach((socket) => socket.resume());
    // 64 MiB hold 256 of the largest bodies, minus the overhead of each chunk.
    await until(async () => cut >= 300 - 256);
    for (let sent = 0; sent < 300; sent++) expect(await ask(LARGEST_BODY)).toEqual([200, '"small"']);
    // Chunks take more memory than their bytes, so more than these 44 connections are cut, but not many more.
    expect(cut).toBeLessThan(150);
  });

  it('is bounded for large answers that clients do not read, while small answers still work', async () => {
    // The kernel may buffer some 40 MB of a connection that the client does not read. Only the next answer then stays
    // in the process.
    for (let at = 0; at < 2; at++) open(7, '"large"', 300);
    await until(() => isRefused('"large"'));
    expect(await ask()).toEqual([200, '"small"']);
    for (const socket of sockets) socket.destroy();
    await until(async () => !(await isRefused('"large"')));
    for (let sent = 0; sent < 8; sent++) expect((await ask('"large"'))[0]).toBe(200);
  });
});
