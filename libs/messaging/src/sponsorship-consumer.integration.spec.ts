import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@paymaster/domain/testing';
import { SponsorshipConsumer } from './sponsorship-consumer';
import { UnhelpfulBroker } from './testing/unhelpful-broker';

let broker: UnhelpfulBroker;
let consumer: SponsorshipConsumer;
beforeEach(async () => {
  broker = await UnhelpfulBroker.start();
  consumer = new SponsorshipConsumer({
    nats: { natsUrl: broker.url },
    durable: 'test',
    handle: () => Promise.resolve(),
    onPoison: () => Promise.resolve(),
  });
});
afterEach(async () => {
  await consumer.stop();
  await broker.stop();
});

it('a consumer that is stopped before it is connected does not keep trying', async () => {
  consumer.start();
  await until(() => broker.connections > 2);
  await consumer.stop();
  const attempts = broker.connections;
  // Longer than the consumer waits between two attempts.
  await sleep(1_000);
  expect(broker.connections).toBe(attempts);
});
