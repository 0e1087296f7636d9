import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { letClientsMoveOn } from './let-clients-move-on';

let server: Server;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeEach(async () => {
  // Like in the apps: Fastify uses an HTTP server that it did not create.
  const fastify = Fastify();
  fastify.get('/', (_request, reply) => reply.header('content-type', 'application/json').send('{}'));
  await fastify.ready();
  server = createServer((request, response) => fastify.routing(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  agent.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function ask(): Promise<{ connection: string | undefined; wasKept: boolean }> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, agent }, (response: IncomingMessage) => {
      response.resume().once('end', () => {
        resolve({ connection: response.headers.connection, wasKept: request.reusedSocket });
      });
    }).once('error', reject);
  });
}

describe('letClientsMoveOn', () => {
  it('closes a kept connection with the answer to its next request, and new ones with their first', async () => {
    expect((await ask()).connection).toBe('keep-alive');
    letClientsMoveOn(server);
    expect(await ask()).toEqual({ connection: 'close', wasKept: true });
    expect(await ask()).toEqual({ connection: 'close', wasKept: false });
  });
});
