import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { boundConnections } from './bound-connections';

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n';

let server: Server;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  jest.restoreAllMocks();
  sockets.forEach((socket) => socket.destroy());
  await new Promise((resolve) => server.close(resolve));
});

/** Opens a connection and says something on it. @returns what it hears, once it hears it or is closed */
function say(text: string): { socket: Socket; heard: Promise<string> } {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => void (text && socket.write(text)));
  sockets.push(socket.on('error', () => undefined));
  const heard = new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data))).once('close', () => resolve('closed'));
  });
  return { socket, heard };
}
const openConnections = (): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, open) => resolve(open)));
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

describe('boundConnections', () => {
  it('makes room among connections that lie idle, and none among those that wait for an answer', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    boundConnections(server, 3);
    const idle = [say(`${HEAD}\r\n`), say(`${HEAD}\r\n`)];
    for (const { heard } of idle) expect(await heard).toMatch(/^HTTP\/1.1 200 /);
    const busy = say(HEAD);
    while ((await openConnections()) < 3) await setImmediate();

    expect(await say(`${HEAD}\r\n`).heard).toBe('closed');
    await Promise.all(idle.map(({ socket }) => closed(socket)));
    expect(await say(`${HEAD}\r\n`).heard).toMatch(/^HTTP\/1.1 200 /);
    busy.socket.write('\r\n');
    expect(await busy.heard).toMatch(/^HTTP\/1.1 200 /);
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it('says once a minute that it refuses', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    boundConnections(server, 1);
    const busy = say(HEAD);
    await new Promise((resolve) => server.once('connection', resolve));
    for (let refused = 0; refused < 5; refused++) expect(await say(HEAD).heard).toBe('closed');
    expect(warned).toHaveBeenCalledTimes(1);
    busy.socket.write('\r\n');
    expect(await busy.heard).toMatch(/^HTTP\/1.1 200 /);
  });
});
