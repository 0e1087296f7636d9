import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@paymaster/domain/testing';
import type { Weather } from './passage';
import { TcpProxy } from './tcp-proxy';

let echo: Server;
let heard: string;
let proxy: TcpProxy;
const clients: Socket[] = [];

beforeEach(async () => {
  heard = '';
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard += bytes.toString();
      socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await TcpProxy.start(`tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.stop();
  await new Promise((resolve) => echo.close(resolve));
});

/** A connection, what came back on it, and how it ended. */
async function open() {
  const socket = connect(proxy.port, '127.0.0.1');
  clients.push(socket);
  const talk = { socket, got: '', ended: '' };
  socket.on('data', (bytes) => (talk.got += bytes.toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => (talk.ended = error.code ?? 'error'));
  socket.on('close', () => (talk.ended ||= 'closed'));
  await once(socket, 'connect').catch(() => undefined);
  return talk;
}

it('passes everything on, in order', async () => {
  const talk = await open();
  for (const word of ['one ', 'two ', 'three']) talk.socket.write(word);
  await until(() => talk.got === 'one two three');
});

it('drop: resets who is there and who comes', async () => {
  const before = await open();
  proxy.become({ kind: 'drop' });
  await until(() => before.ended !== '');
  const after = await open();
  await until(() => after.ended !== '');
  expect([before.got, after.got]).toEqual(['', '']);
  expect(proxy.open).toBe(0);
});

it.each<[Weather['kind'], string]>([
  ['halfOpen', ''],
  ['deaf', 'question'],
])('%s: nothing comes back, the server hears "%s"; what was under way arrives afterwards', async (kind, server) => {
  const talk = await open();
  proxy.become({ kind } as Weather);
  talk.socket.write('question');
  await sleep(100);
  await until(() => heard === server);
  expect([talk.got, talk.ended]).toEqual(['', '']);
  proxy.become({ kind: 'pass' });
  await until(() => talk.got === 'question');
});

it('delay: each way is late, and a lost packet keeps what follows waiting', async () => {
  const talk = await open();
  proxy.become({ kind: 'delay', ms: 40, lossRate: 1, retransmitMs: 30 });
  const startedMs = performance.now();
  for (const word of ['a', 'b', 'c']) talk.socket.write(word);
  await until(() => talk.got === 'abc');
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(139);
});

it('throttle: takes as long as the bytes need', async () => {
  const talk = await open();
  proxy.become({ kind: 'throttle', bytesPerSecond: 10_000 });
  const startedMs = performance.now();
  talk.socket.write('x'.repeat(2_000));
  await until(() => talk.got.length === 2_000);
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(399);
});

it('cut: resets a connection after so many bytes of answers', async () => {
  const talk = await open();
  proxy.become({ kind: 'cut', afterBytes: 10 });
  talk.socket.write('12345678');
  await until(() => talk.got === '12345678');
  talk.socket.write('more');
  await until(() => talk.ended !== '');
  expect(talk.got).toBe('12345678');
});
