import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { whenOver } from './when-over';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let server: Server;
let responses: ServerResponse[];
let over: jest.Mock[];
beforeEach(async () => {
  [responses, over] = [[], []];
  server = createServer((_request, response) => {
    const told = jest.fn();
    whenOver(response, told);
    over.push(told);
    responses.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** A connection with this many requests, all of which the server has received. */
async function ask(requests: number): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).write(REQUEST.repeat(requests));
  while (responses.length < requests) await setImmediate();
  return socket;
}
const times = (): number[] => over.map((told) => told.mock.calls.length);

describe('whenOver', () => {
  it('calls back for each answer when it was sent', async () => {
    const socket = await ask(2);
    responses[0]?.end('{}');
    while (times()[0] === 0) await setImmediate();
    expect(times()).toEqual([1, 0]);
    responses[1]?.end('{}');
    while (times()[1] === 0) await setImmediate();
    socket.destroy();
    await new Promise((resolve) => responses[1]?.req.socket.once('close', resolve));
    expect(times()).toEqual([1, 1]);
  });

  it('calls back for all waiting answers when their connection closes, with one listener', async () => {
    const socket = await ask(30);
    expect(responses[0]?.req.socket.listenerCount('close')).toBeLessThan(10);
    socket.resetAndDestroy();
    while (times().includes(0)) await setImmediate();
    expect(times()).toEqual(responses.map(() => 1));
  });

  it('calls back at once if the connection has closed', async () => {
    const socket = await ask(1);
    const { req } = responses[0] as ServerResponse;
    socket.destroy();
    await new Promise((resolve) => req.socket.once('close', resolve));
    const told = jest.fn();
    whenOver(responses[0] as ServerResponse, told);
    expect(told).toHaveBeenCalledTimes(1);
  });
});
