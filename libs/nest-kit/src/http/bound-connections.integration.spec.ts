import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { boundConnections } from './bound-connections';

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n';
/** More than the kernel buffers for a connection that is not read. */
const LARGE = 'a'.repeat(60_000_000);

let server: Server;
let sockets: Socket[];
let warned: jest.SpyInstance;

beforeEach(async () => {
  sockets = [];
  warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  server = createServer((request, response) => void response.end(request.url === '/large' ? LARGE : '{}'));
  // Node closes a connection that lies idle for so long by itself, which a busy machine reaches before the test does.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  jest.restoreAllMocks();
  sockets.forEach((socket) => socket.destroy());
  await new Promise((resolve) => server.close(resolve));
});

/**
 * Opens a connection and sends a text on it. @returns the first bytes of the answer, or that the connection was closed
 */
function say(text = ''): { socket: Socket; heard: Promise<string> } {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => void (text && socket.write(text)));
  sockets.push(socket.on('error', () => undefined));
  const heard = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data))).once('close', () => resolve('closed'));
  });
  return { socket, heard };
}
const openConnections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, open) => resolve(open)));
const areOpen = async (wanted: number): Promise<void> => {
  while ((await openConnections()) !== wanted) await setImmediate();
};
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

describe('boundConnections', () => {
  it('refuses further connections, and closes idle ones: kept after an answer, or silent from the start', async () => {
    boundConnections(server, { most: 3 });
    const kept = [say(`${HEAD}\r\n`), say(`${HEAD}\r\n`)];
    for (const { heard } of kept) expect(await heard).toMatch(/^HTTP\/1.1 200 /);
    const silent = say();
    await areOpen(3);
    expect(await say(`${HEAD}\r\n`).heard).toBe('closed');
    await Promise.all([...kept, silent].map(({ socket }) => closed(socket)));
    expect(await say(`${HEAD}\r\n`).heard).toMatch(/^HTTP\/1.1 200 /);
  });

  it('keeps connections whose answer is still being read, or on which data arrives', async () => {
    // Longer than a busy machine stalls.
    boundConnections(server, { most: 3, idleMs: 4_000 });
    const idle = say(`${HEAD}\r\n`);
    await idle.heard;
    const reading = say(`${HEAD.replace('/', '/large')}\r\n`);
    await reading.heard;
    reading.socket.pause();
    const talking = say(HEAD);
    const talk = setInterval(() => talking.socket.write('X-A: b\r\n'), 20);
    await areOpen(3);

    expect(await say().heard).toBe('closed');
    await closed(idle.socket);
    clearInterval(talk);
    let bytes = 0;
    reading.socket.on('data', (data: Buffer) => (bytes += data.length)).resume();
    talking.socket.write('\r\n');
    expect(await talking.heard).toMatch(/^HTTP\/1.1 200 /);
    while (bytes < LARGE.length - 1_000_000) await setImmediate();
    expect(await openConnections()).toBe(2);
  });

  it('says once a minute that it refuses', async () => {
    boundConnections(server, { most: 1 });
    const reading = say(`${HEAD.replace('/', '/large')}\r\n`);
    await reading.heard;
    reading.socket.pause();
    for (let refused = 0; refused < 5; refused++) expect(await say(HEAD).heard).toBe('closed');
    expect(warned).toHaveBeenCalledTimes(1);
  });
});
