import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientNats } from '@nestjs/microservices';
import { until } from '@paymaster/domain/testing';
import { createNatsClient } from './nats-client';
import { UnhelpfulBroker } from './testing/unhelpful-broker';

let broker: UnhelpfulBroker;
let client: ClientNats;
beforeEach(async () => {
  broker = await UnhelpfulBroker.start();
  client = createNatsClient({ natsUrl: broker.url }, 'test');
});
afterEach(async () => {
  await client.close();
  await broker.stop();
});

describe('createNatsClient', () => {
  it('makes a client that tries again, until it is closed', async () => {
    const connecting = client.connect();
    await until(() => broker.connections > 2);

    broker.holdsOn = true;
    const before = broker.connections;
    await until(() => broker.connections > before);
    await client.close();
    broker.hangUp();
    await expect(connecting).rejects.toThrow('closed before there was a connection to NATS');
    const after = broker.connections;
    // Longer than the client waits between two attempts.
    await sleep(600);
    expect(broker.connections).toBe(after);
  });
});
