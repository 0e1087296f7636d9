import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNatsClient } from './nats-client';

/** Takes connections, as a broker does, and says nothing, as a broker does not. */
class SilentBroker {
  readonly connections: Socket[] = [];
  private readonly server: Server = createServer((socket) => this.connections.push(socket));

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const connection of this.connections) connection.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

let broker: SilentBroker;
beforeEach(() => (broker = new SilentBroker()));
afterEach(() => broker.stop());

describe('createNatsClient', () => {
  it('makes a client that tries again, until it is closed', async () => {
    const port = await broker.listen();
    await broker.stop();
    const client = createNatsClient({ natsUrl: `nats://127.0.0.1:${port}` }, 'test');
    const connecting = client.connect();
    await sleep(100);

    broker = new SilentBroker();
    await broker.listen(port);
    await sleep(400);
    expect(broker.connections).toHaveLength(1);

    await client.close();
    await broker.stop();
    await expect(connecting).rejects.toThrow('closed before there was a connection to NATS');
    broker = new SilentBroker();
    await broker.listen(port);
    await sleep(600);
    expect(broker.connections).toHaveLength(0);
  });
});
