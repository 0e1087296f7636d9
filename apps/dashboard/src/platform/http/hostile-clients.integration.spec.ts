import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { until } from '@paymaster/domain/testing';
import { startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster } from '../../testing/requests';

const PATH = '/api/v2/public/sdk/paymaster';

let dashboard: DashboardUnderTest;
let port: number;
const sockets: Socket[] = [];

beforeAll(async () => {
  dashboard = await startDashboard();
  await dashboard.app.listen(0, '127.0.0.1');
  port = ((dashboard.app.getHttpServer() as Server).address() as AddressInfo).port;
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => dashboard.stop());

interface Client {
  readonly socket: Socket;
  received: string;
  isClosed: boolean;
}

/** Sends bytes that no HTTP client would send. */
function say(...parts: readonly (string | Uint8Array)[]): Client {
  const client: Client = { socket: connect(port, '127.0.0.1'), received: '', isClosed: false };
  client.socket.setEncoding('latin1').on('data', (text: string) => (client.received += text));
  client.socket.on('error', () => undefined).on('close', () => (client.isClosed = true));
  for (const part of parts) client.socket.write(part);
  sockets.push(client.socket);
  return client;
}
const head = (line: string, ...headers: string[]): string => [line, 'Host: a', ...headers, '', ''].join('\r\n');
const posts = (...headers: string[]): string =>
  head(`POST ${PATH} HTTP/1.1`, 'Content-Type: application/json', ...headers);
const isAlive = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/health/live`)).ok;

describe('a client that sends what is not HTTP', () => {
  const long = (letters: number): string => 'x'.repeat(letters);
  it.each<[string, string | Uint8Array, number | 'closed']>([
    ['a greeting of TLS', Buffer.from('16030100c8010000c40303', 'hex'), 400],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['no Host', `GET ${PATH} HTTP/1.1\r\n\r\n`, 400],
    ['white space before a colon', posts('Content-Length : 2'), 400],
    ['a header on two lines', posts('X-A: b\r\n c'), 400],
    ['a header that ends in a line feed', posts('X-A: b\nX-B: c'), 400],
    ['a header with a carriage return', posts('X-A: b\rX-B: c'), 400],
    ['a header with NUL', posts('X-A: b\0'), 400],
    ['a negative length', posts('Content-Length: -1'), 400],
    ['a length with a sign', posts('Content-Length: +2'), 400],
    ['the same length twice', `${posts('Content-Length: 2', 'Content-Length: 2')}{}`, 400],
    ['length and chunks', `${posts('Content-Length: 2', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`, 400],
    ['chunks twice', posts('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'), 400],
    ['an unknown encoding', posts('Transfer-Encoding: xchunked'), 400],
    ['chunks that are not the last encoding', posts('Transfer-Encoding: chunked, identity'), 400],
    ['a chunk larger than any', `${posts('Transfer-Encoding: chunked')}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`, 400],
    ['a chunk that ends in a line feed', `${posts('Transfer-Encoding: chunked')}2\n{}\n0\n\n`, 400],
    ['a chunk with 20 kB to say', `${posts('Transfer-Encoding: chunked')}2;${long(20_000)}\r\n{}\r\n0\r\n\r\n`, 400],
    ['a trailer of 20 kB', `${posts('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\nX: ${long(20_000)}\r\n\r\n`, 431],
    ['a header of 17 kB', posts(`X-A: ${long(17_000)}`), 431],
    ['a path of 20 kB', head(`GET /${long(20_000)} HTTP/1.1`), 431],
    ['an expectation of its own', posts('Expect: more', 'Content-Length: 2'), 417],
    ['CONNECT', head('CONNECT evil.example:443 HTTP/1.1'), 'closed'],
  ])('%s hears so, and nothing more', async (_what, bytes, expected) => {
    const client = say(bytes);
    await until(() => client.isClosed || client.received.includes('\r\n\r\n'));
    if (expected === 'closed') expect(client).toMatchObject({ isClosed: true, received: '' });
    else expect(client.received).toMatch(new RegExp(`^HTTP/1.1 ${expected} `));
    expect(client.received.length).toBeLessThan(1_500);
    expect(client.received).not.toMatch(/ at |node:|parse error|HPE_/i);
    expect(await isAlive()).toBe(true);
  });
});

describe('a client that goes away in the middle of its body', () => {
  it('causes no error of ours', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const client = say(posts('Content-Length: 100'), '{');
    await until(() => client.socket.bytesWritten > 100);
    expect(await isAlive()).toBe(true);
    client.socket.destroy();
    // The server reads the bytes in the order in which they were sent.
    for (let asked = 0; asked < 3; asked++) expect(await isAlive()).toBe(true);
    expect(logged).not.toHaveBeenCalled();
  });
});

describe('a client that goes away when its body was refused unread', () => {
  it.each([
    ['what is not JSON', PATH, 'text/plain', 100],
    ['too much', PATH, 'application/json', 100_000_000],
    ['to nobody', '/nowhere', 'application/json', 100],
    ['what is not JSON, to nobody', '/nowhere', 'text/plain', 100],
  ])('%s: ends no process', async (_what, path, type, length) => {
    const client = say(head(`POST ${path} HTTP/1.1`, `Content-Type: ${type}`, `Content-Length: ${length}`), '{');
    await until(() => client.received.includes('\r\n\r\n') || client.isClosed);
    client.socket.resetAndDestroy();
    // Jest fails the test for an uncaught exception.
    for (let asked = 0; asked < 3; asked++) expect(await isAlive()).toBe(true);
  });
});

it('a client cannot open more than a bounded number of connections', () => {
  expect(dashboard.app.getHttpServer()).toMatchObject({ maxConnections: 10_000 });
});

describe('answers', () => {
  it.each(['', '/nothing', `${PATH}?x=1`, '/api/v2/public/sdk/funding-message', '/docs-json', '/health'])(
    'of %s are kept by no cache',
    async (path) => {
      const { authToken, apiKey } = await createPaymaster(dashboard);
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authToken, apiKey } });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('leave their connection open for longer than balancers keep an idle one', async () => {
    const client = say(head('GET /health/live HTTP/1.1'));
    await until(() => client.received.includes('\r\n\r\n'));
    expect(client.received).toMatch(/\r\nkeep-alive: timeout=72\r\n/i);
  });

  it('that their clients do not read do not keep the connection open for ever', () => {
    expect((dashboard.app.getHttpServer() as Server).timeout).toBe(60_000);
  });
});
