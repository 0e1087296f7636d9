import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, type Nats } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import {
  SPONSORSHIP_STREAM,
  SponsorshipConsumer,
  type PoisonMessage,
  type SponsorshipConsumerOptions,
} from '@paymaster/messaging';
import { connect, type NatsConnection } from 'nats';

/**
 * Requests must not end while the machine stands still, because the server sends messages for an ended request again
 * only later.
 */
const FETCH_MS = 60_000;

let dataDir: string;
let nats: Nats;
let connection: NatsConnection;
const consumers: SponsorshipConsumer[] = [];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'paymaster-nats-'));
  nats = await startNats({ dataDir });
  connection = await connect({ servers: nats.url });
});
afterEach(async () => {
  for (const consumer of consumers.splice(0)) await consumer.stop();
  await connection.close();
  await nats.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function addStream(): Promise<void> {
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: SPONSORSHIP_STREAM, subjects: ['sponsorship.>'] });
}

const voided = (eventId: string = randomUUID()) => ({
  eventId,
  atMs: 1_700_000_000_000,
  chainId: 1,
  paymasterId: 'p',
  kind: 'voided',
  reservationId: '7',
  mode: 'sponsored',
  sender: `0x${'11'.repeat(20)}`,
  nonce: '0',
  entryPointVersion: '0.7',
  because: 'expired',
  releasedWei: '5',
});

async function publish(body: unknown): Promise<void> {
  await connection.jetstream().publish('sponsorship.voided.p', JSON.stringify(body));
}

function consumerWith(options: Partial<SponsorshipConsumerOptions> = {}) {
  const handled: string[] = [];
  const poison: PoisonMessage[] = [];
  const problems: string[] = [];
  const consumer = new SponsorshipConsumer({
    nats: { natsUrl: nats.url },
    durable: 'test',
    handle: async ({ eventId }) => void handled.push(eventId),
    onPoison: async (message) => void poison.push(message),
    onProblem: ({ message }) => problems.push(message),
    retryMs: 10,
    fetchMs: FETCH_MS,
    ...options,
  });
  consumers.push(consumer);
  consumer.start();
  return { consumer, handled, poison, problems };
}

describe('SponsorshipConsumer', () => {
  it('hands over every event in the order of the stream, also those from before it was there', async () => {
    await addStream();
    const ids = Array.from({ length: 100 }, () => randomUUID());
    for (const id of ids.slice(0, 50)) await publish(voided(id));
    const { handled, consumer } = consumerWith();
    for (const id of ids.slice(50)) await publish(voided(id));
    await until(() => handled.length === 100);
    expect(handled).toEqual(ids);
    expect(consumer.connected).toBe(true);
  });

  it('tells how many events wait in the stream for anybody, and nothing before the stream has answered', async () => {
    await addStream();
    for (let count = 0; count < 100; count++) await publish(voided());
    const taken: string[] = [];
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const { consumer } = consumerWith({
      handle: async ({ eventId }) => {
        taken.push(eventId);
        // The first of the second batch of 32.
        if (taken.length === 33) await held;
      },
    });
    expect(consumer.pending).toBeUndefined();
    await until(() => taken.length === 33);
    expect(consumer.pending).toBe(68);
    release();
    await until(() => taken.length === 100);
    expect(consumer.pending).toBeLessThan(68);
  });

  it('stops in the middle of a batch, and leaves the rest of it to the next', async () => {
    await addStream();
    const ids = Array.from({ length: 4 }, () => randomUUID());
    for (const id of ids) await publish(voided(id));
    const stopped: string[] = [];
    const first = consumerWith({
      handle: async ({ eventId }) => {
        if (stopped.push(eventId) === 2) stopping = first.consumer.stop();
        await new Promise((resolve) => setTimeout(resolve, 50));
      },
    });
    let stopping: Promise<void> | undefined;
    await until(async () => stopping !== undefined);
    await stopping;
    expect(stopped).toEqual(ids.slice(0, 2));
  });

  it('goes on where the last process of its name stopped', async () => {
    await addStream();
    await publish(voided());
    // After this time the server sends messages again that it had just sent to a consumer that is gone.
    const first = consumerWith({ ackWaitMs: 2_000 });
    await until(() => first.handled.length === 1);
    const manager = await connection.jetstreamManager();
    await until(async () => (await manager.consumers.info(SPONSORSHIP_STREAM, 'test')).ack_floor.stream_seq === 1);
    await first.consumer.stop();
    const id = randomUUID();
    await publish(voided(id));
    const second = consumerWith();
    await until(() => second.handled.length > 0);
    expect(second.handled).toEqual([id]);
  });

  it('delivers an event again when its handler fails', async () => {
    await addStream();
    await publish(voided());
    let attempts = 0;
    const { poison } = consumerWith({
      handle: async () => {
        if (++attempts < 3) throw new Error('not now');
      },
    });
    await until(() => attempts === 3);
    expect(poison).toEqual([]);
  });

  it('gives an event up after so many failures, and the stream moves on', async () => {
    await addStream();
    const bad = voided();
    const good = voided();
    await publish(bad);
    await publish(good);
    const handled: string[] = [];
    const { poison } = consumerWith({
      maxDeliveries: 3,
      handle: async ({ eventId }) => {
        if (eventId === bad.eventId) throw new Error('cannot be done');
        handled.push(eventId);
      },
    });
    await until(() => poison.length === 1 && handled.length === 1);
    expect(poison).toEqual([
      {
        eventId: bad.eventId,
        subject: 'sponsorship.voided.p',
        body: JSON.stringify(bad),
        deliveries: 3,
        problem: 'cannot be done',
      },
    ]);
  });

  it('gives a message up at once that is no event', async () => {
    await addStream();
    await publish({ kind: 'nonsense' });
    const { poison, handled } = consumerWith();
    await until(() => poison.length === 1);
    expect(poison[0]).toMatchObject({ eventId: null, deliveries: 1, body: '{"kind":"nonsense"}' });
    expect(handled).toEqual([]);
  });

  it('keeps poison until somebody took it', async () => {
    await addStream();
    await publish({});
    let refusals = 0;
    const { problems } = consumerWith({
      onPoison: async () => {
        if (++refusals < 3) throw new Error('database is down');
      },
    });
    await until(() => refusals === 3);
    expect(problems).toContain('database is down');
  });

  it('waits for a stream that is not there yet', async () => {
    const { handled, problems, consumer } = consumerWith();
    await until(() => problems.length > 0);
    expect(consumer.connected).toBe(false);
    await addStream();
    await publish(voided());
    await until(() => handled.length === 1);
  });

  it('reads from the start again when the server lost everything and the stream was rebuilt', async () => {
    await addStream();
    const [old, fresh] = [voided(), voided()];
    await publish(old);
    const { handled } = consumerWith();
    await until(() => handled.length === 1);

    process.kill(nats.pid, 'SIGKILL');
    await nats.stop();
    rmSync(dataDir, { recursive: true, force: true });
    nats = await startNats({ dataDir, port: nats.port });
    await until(() => connection.rtt().then(() => true, () => false)); // prettier-ignore
    await addStream();
    await publish(old);
    await publish(fresh);
    await until(() => handled.length === 3);
    expect(handled).toEqual([old.eventId, old.eventId, fresh.eventId]);
  });

  it('ends promptly while it waits for messages, and while the server is away', async () => {
    await addStream();
    const { consumer } = consumerWith({ fetchMs: 2_000 });
    await until(() => consumer.connected);
    await nats.stop();
    const started = Date.now();
    await consumer.stop();
    // Its own deadline is 5 s; this is for a machine ten times as slow.
    expect(Date.now() - started).toBeLessThan(50_000);
  });
});
