import { randomUUID } from 'node:crypto';
import { startNats, openDatabase, type Nats, type TestDatabase } from '@paymaster/devnet';
import { openSettlementBooks, type SettlementBooks } from '@paymaster/ledger/settlement';
import { createLedgerDatabase, type LedgerDatabase } from '@paymaster/ledger/testing';
import { SPONSORSHIP_STREAM, type SponsorshipEventKind } from '@paymaster/messaging';
import { AckPolicy, connect, nanos, type NatsConnection } from 'nats';
import { LeaseKeeper } from '../following/lease-keeper';
import { EventStream } from './event-stream';
import { OutboxPublisher } from './outbox-publisher';
import { OutboxState } from './outbox-state';

const DAY_MS = 86_400_000;
/** Room for about 90 of the events here. */
const SETTINGS = { maxAgeMs: DAY_MS, maxBytes: 220_000, replicas: 1 };
const ENOUGH_TO_FORGET = 60;

let postgres: TestDatabase;
let database: LedgerDatabase;
let books: SettlementBooks;
let nats: Nats;
let connection: NatsConnection;
let stream: EventStream;

beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await createLedgerDatabase(postgres.url);
  books = openSettlementBooks({ pool: database.pool });
  nats = await startNats();
  connection = await connect({ servers: nats.url });
  stream = new EventStream(connection, SETTINGS);
  await stream.make();
});
afterEach(async () => {
  await connection.close();
  await nats.stop();
  await database.drop();
});

/** The rows that transactions of the ledger write, for one paymaster. */
async function write(count: number, kind: SponsorshipEventKind = 'voided'): Promise<string[]> {
  const { rows } = await database.pool.query<{ event_id: string }>(
    `INSERT INTO ledger.outbox (kind, chain_id, paymaster_id, payload)
     SELECT $1, 31337, $2, $3 FROM generate_series(1, $4) RETURNING event_id`,
    [kind, randomUUID(), { pad: 'x'.repeat(2_000) }, count],
  );
  return rows.map(({ event_id }) => event_id);
}

function publisher() {
  const heard = { rebuilds: [] as number[], dropped: 0 };
  const made = new OutboxPublisher({
    outbox: books.outbox,
    state: new OutboxState(database.pool),
    lease: new LeaseKeeper({ books, chainId: 0, holder: 'one', ttlMs: 60_000 }),
    retentionMs: DAY_MS,
    onOtherLimits: () => undefined,
    onPublished: () => undefined,
    onRefusalsDropped: (events) => (heard.dropped += events),
    onRebuild: (events) => heard.rebuilds.push(events),
  });
  const publish = async () => {
    while (await made.step(stream));
  };
  return { heard, publish };
}

/** A reader like the dashboard's, and the ids that it received. */
async function reader(name: string) {
  const manager = await connection.jetstreamManager();
  // So long that no message is delivered again because a reader was slow.
  const patience = { ack_wait: nanos(600_000) };
  await manager.consumers.add(SPONSORSHIP_STREAM, {
    ...patience,
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
  });
  const ids: string[] = [];
  const read = async (count: number, except?: string) => {
    const consumer = await connection.jetstream().consumers.get(SPONSORSHIP_STREAM, name);
    for await (const message of await consumer.fetch({ max_messages: count, expires: 25_000 })) {
      const { eventId } = message.json<{ eventId: string }>();
      ids.push(eventId);
      if (eventId !== except) await message.ackAck();
    }
  };
  return { ids, read };
}

async function stateOfStream() {
  const manager = await connection.jetstreamManager();
  return (await manager.streams.info(SPONSORSHIP_STREAM)).state;
}

async function oldestInStream(): Promise<string> {
  const manager = await connection.jetstreamManager();
  const message = await manager.streams.getMessage(SPONSORSHIP_STREAM, { seq: (await stateOfStream()).first_seq });
  return message.json<{ eventId: string }>().eventId;
}

async function forgetLastMessage(): Promise<void> {
  const manager = await connection.jetstreamManager();
  await manager.streams.deleteMessage(SPONSORSHIP_STREAM, (await stateOfStream()).last_seq);
}

const unpublished = () => new OutboxState(database.pool).unpublished();

describe('a stream that is read', () => {
  it('takes many times as many events as it has room for, and no reader misses an event', async () => {
    const { heard, publish } = publisher();
    await publish();
    const readers = [await reader('operations'), await reader('webhooks')];
    const written: string[] = [];
    for (let round = 0; round < 10; round++) {
      written.push(...(await write(25)), ...(await write(5, 'refused')));
      await publish();
      for (const { read } of readers) await read(30);
    }
    for (const { ids } of readers) expect(ids).toEqual(written);
    expect(heard).toEqual({ rebuilds: [], dropped: 0 });
    expect(await unpublished()).toBe(0);
  });

  it('keeps its newest message, by which a process that starts later sees that nothing is lost', async () => {
    const first = publisher();
    await first.publish();
    const { read } = await reader('operations');
    await write(ENOUGH_TO_FORGET);
    const [newest] = await write(1);
    await first.publish();
    await read(ENOUGH_TO_FORGET + 1);
    await first.publish();
    expect((await stateOfStream()).messages).toBe(1);
    expect(await oldestInStream()).toBe(newest);

    const later = publisher();
    for (const { publish } of [first, later]) await publish();
    expect([...first.heard.rebuilds, ...later.heard.rebuilds]).toEqual([]);
    await forgetLastMessage();
    await later.publish();
    expect(later.heard.rebuilds).toEqual([ENOUGH_TO_FORGET + 1]);
  });

  it('keeps the newest event of the outbox too, where older ones came into the stream after it', async () => {
    const first = publisher();
    await first.publish();
    const { read } = await reader('operations');
    await write(ENOUGH_TO_FORGET);
    const late = await write(5);
    const [newest] = await write(1);
    await database.pool.query(
      `UPDATE ledger.outbox SET claimed_until = now() + interval '1 hour' WHERE event_id = ANY($1)`,
      [late],
    );
    await first.publish();
    await database.pool.query('UPDATE ledger.outbox SET claimed_until = NULL WHERE event_id = ANY($1)', [late]);
    await first.publish();
    await read(ENOUGH_TO_FORGET + 6);
    await first.publish();
    expect(await oldestInStream()).toBe(newest);
    const later = publisher();
    await later.publish();
    expect([...first.heard.rebuilds, ...later.heard.rebuilds]).toEqual([]);
  });
});

describe('a stream that is not read', () => {
  it('keeps every event until all of its readers have acknowledged it', async () => {
    const { heard, publish } = publisher();
    await publish();
    const [quick, slow] = [await reader('operations'), await reader('webhooks')];
    const written = await write(ENOUGH_TO_FORGET);
    await publish();
    await quick.read(ENOUGH_TO_FORGET);
    await slow.read(10, written[4]);
    written.push(...(await write(10)));
    await publish();
    expect(await oldestInStream()).toBe(written[4]);
    await slow.read(ENOUGH_TO_FORGET);
    expect(slow.ids).toEqual(written);
    expect(heard.rebuilds).toEqual([]);
  });

  it('keeps every event while it has no reader', async () => {
    const { publish } = publisher();
    await write(ENOUGH_TO_FORGET);
    await publish();
    await write(10);
    await publish();
    expect((await stateOfStream()).messages).toBe(ENOUGH_TO_FORGET + 10);
  });

  it('takes refusals up to four fifths, counts those it drops, and goes on taking the rest', async () => {
    const { heard, publish } = publisher();
    await write(50);
    await write(60, 'refused');
    await publish();
    const { bytes, messages } = await stateOfStream();
    expect(bytes).toBeGreaterThan(SETTINGS.maxBytes * 0.75);
    expect(bytes).toBeLessThan(SETTINGS.maxBytes * 0.9);
    expect(heard.dropped).toBe(110 - messages);
    expect(heard.dropped).toBeGreaterThan(10);
    const [settled] = await write(1, 'settled');
    for (const kind of ['refused', 'sent', 'waiting', 'bundlerRefused', 'dropped'] as const) await write(20, kind);
    await publish();
    expect((await stateOfStream()).messages).toBe(messages + 1);
    expect((await stream.lastOf(await eventOf(settled)))?.eventId).toBe(settled);
    expect(await unpublished()).toBe(0);
  });

  it('does not count dropped refusals as lost, and still shows a real loss', async () => {
    const first = publisher();
    await write(82);
    await write(50, 'refused');
    await first.publish();
    expect(first.heard.dropped).toBe(50);
    const later = publisher();
    await later.publish();
    expect([...first.heard.rebuilds, ...later.heard.rebuilds]).toEqual([]);
    await forgetLastMessage();
    const last = publisher();
    await last.publish();
    expect(last.heard.rebuilds).toEqual([132]);
  });
});

async function eventOf(id: string | undefined) {
  const { rows } = await database.pool.query<{ kind: SponsorshipEventKind; paymasterId: string }>(
    'SELECT kind, paymaster_id AS "paymasterId" FROM ledger.outbox WHERE event_id = $1',
    [id],
  );
  return rows[0]!;
}
