import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SponsorshipConsumer } from './sponsorship-consumer';

/** A server that never was: its port is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('a consumer that is stopped before there was a broker does not go on trying', async () => {
  const port = await freePort();
  const consumer = new SponsorshipConsumer({
    nats: { natsUrl: `nats://127.0.0.1:${port}` },
    durable: 'test',
    handle: () => Promise.resolve(),
    onPoison: () => Promise.resolve(),
  });
  consumer.start();
  await sleep(300);
  await consumer.stop();

  let attempts = 0;
  const listener = createServer((socket) => {
    attempts += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  await sleep(3_000);
  await new Promise((resolve) => listener.close(resolve));
  expect(attempts).toBe(0);
});
