import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats, openDatabase, type Nats, type TestDatabase } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { openSettlementBooks, type SettlementBooks } from '@paymaster/ledger/settlement';
import { createLedgerDatabase, type LedgerDatabase } from '@paymaster/ledger/testing';
import { SPONSORSHIP_STREAM, SponsorshipConsumer } from '@paymaster/messaging';
import { connect, type NatsConnection } from 'nats';
import { LeaseKeeper } from '../following/lease-keeper';
import { EventStream, StreamMissingError, StreamShapeError } from './event-stream';
import { OutboxPublisher } from './outbox-publisher';
import { OutboxState } from './outbox-state';

const DAY_MS = 86_400_000;
const SETTINGS = { maxAgeMs: DAY_MS, maxBytes: 64 * 2 ** 20, replicas: 1 };

let postgres: TestDatabase;
let database: LedgerDatabase;
let books: SettlementBooks;
let dataDir: string;
let nats: Nats;
let connection: NatsConnection;
const consumers: SponsorshipConsumer[] = [];

beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await createLedgerDatabase(postgres.url);
  books = openSettlementBooks({ pool: database.pool });
  dataDir = mkdtempSync(join(tmpdir(), 'paymaster-nats-'));
  nats = await startNats({ dataDir });
  connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  await new EventStream(connection, SETTINGS).make();
});
afterEach(async () => {
  for (const consumer of consumers.splice(0)) await consumer.stop();
  await connection.close();
  await nats.stop();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The rows that a transaction of the ledger writes. */
async function write(count: number): Promise<string[]> {
  const payload = {
    reservationId: '7',
    mode: 'sponsored',
    sender: `0x${'11'.repeat(20)}`,
    nonce: '0',
    entryPointVersion: '0.7',
    because: 'expired',
    releasedWei: '5',
  };
  const { rows } = await database.pool.query<{ event_id: string }>(
    `INSERT INTO ledger.outbox (kind, chain_id, paymaster_id, payload)
     SELECT 'voided', 31337, $2, $1 FROM generate_series(1, $3) RETURNING event_id`,
    [payload, randomUUID(), count],
  );
  return rows.map(({ event_id }) => event_id);
}

function publisher(holder: string = randomUUID()) {
  const rebuilds: number[] = [];
  const limits = { other: [] as readonly string[] };
  const lease = new LeaseKeeper({ books, chainId: 0, holder, ttlMs: 60_000 });
  const made = new OutboxPublisher({
    outbox: books.outbox,
    state: new OutboxState(database.pool),
    lease,
    retentionMs: DAY_MS,
    onOtherLimits: (names) => (limits.other = names),
    onPublished: () => undefined,
    onRefusalsDropped: () => undefined,
    onRebuild: (events) => rebuilds.push(events),
  });
  const stream = () => new EventStream(connection, SETTINGS);
  const publishAll = async () => {
    while (await made.step(stream()));
  };
  return { made, lease, rebuilds, limits, stream, publishAll };
}

/** Ids of the events in the stream, in order. */
async function inStream(): Promise<string[]> {
  const manager = await connection.jetstreamManager();
  const { state } = await manager.streams.info(SPONSORSHIP_STREAM, { deleted_details: true });
  const deleted = new Set(state.deleted ?? []);
  const ids: string[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq++) {
    if (deleted.has(seq)) continue;
    const message = await manager.streams.getMessage(SPONSORSHIP_STREAM, { seq });
    ids.push(message.json<{ eventId: string }>().eventId);
  }
  return ids;
}

async function forgetLastMessage(): Promise<void> {
  const manager = await connection.jetstreamManager();
  const { state } = await manager.streams.info(SPONSORSHIP_STREAM);
  await manager.streams.deleteMessage(SPONSORSHIP_STREAM, state.last_seq);
}

/** A consumer that keeps effects by event id, and what it was handed. */
function consumer() {
  const effects = new Map<string, number>();
  const made = new SponsorshipConsumer({
    nats: { natsUrl: nats.url },
    durable: 'effects',
    handle: async ({ eventId }) => void effects.set(eventId, (effects.get(eventId) ?? 0) + 1),
    onPoison: async ({ problem }) => Promise.reject(new Error(problem)),
  });
  consumers.push(made);
  made.start();
  return effects;
}

async function loseEverything(): Promise<void> {
  process.kill(nats.pid, 'SIGKILL');
  await nats.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function startAgain(): Promise<void> {
  nats = await startNats({ dataDir, port: nats.port });
  await until(() => connection.rtt().then(() => true, () => false)); // prettier-ignore
  await new EventStream(connection, SETTINGS).make();
}

describe('publishing', () => {
  it('sends every event, in order and once', async () => {
    const ids = await write(1_200);
    const { publishAll, rebuilds } = publisher();
    await publishAll();
    expect(await inStream()).toEqual(ids);
    await publishAll();
    expect(await inStream()).toHaveLength(1_200);
    expect(rebuilds).toEqual([]);
    expect(await new OutboxState(database.pool).unpublished()).toBe(0);
  });

  it('is done by one process at a time, and the next process finds nothing lost', async () => {
    await write(3);
    const [first, second] = [publisher(), publisher()];
    await first.publishAll();
    await second.publishAll();
    await write(2);
    await second.publishAll();
    expect(await new OutboxState(database.pool).unpublished()).toBe(2);
    await first.lease.release();
    await second.publishAll();
    expect(await inStream()).toHaveLength(5);
    expect(second.rebuilds).toEqual([]);
  });

  it('publishes again what was acknowledged and not marked, and the server drops it', async () => {
    const ids = await write(3);
    await publisher('same').publishAll();
    await database.pool.query('UPDATE ledger.outbox SET published_at = NULL WHERE event_id = $1', [ids[1]]);
    await publisher('same').publishAll();
    expect(await inStream()).toEqual(ids);
  });

  it('waits while the stream is missing or has other fixed settings, and then goes on', async () => {
    const manager = await connection.jetstreamManager();
    const { publishAll, made, stream, rebuilds } = publisher();
    const ids = await write(3);
    await manager.streams.delete(SPONSORSHIP_STREAM);
    await expect(made.step(stream())).rejects.toThrow(StreamMissingError);
    const other = { name: SPONSORSHIP_STREAM, subjects: ['sponsorship.>', 'paymaster.>'] };
    await manager.streams.add({ ...other, republish: { src: '>', dest: 'copy.>' } });
    const shape = new StreamShapeError(['subjects', 'discard', 'republish']);
    await expect(made.step(stream())).rejects.toThrow(shape);
    await manager.streams.delete(SPONSORSHIP_STREAM);
    await manager.streams.add(other);
    await expect(made.step(stream())).rejects.toThrow(new StreamShapeError(['subjects', 'discard']));
    expect(await new OutboxState(database.pool).unpublished()).toBe(3);

    expect(await stream().make()).toEqual(expect.arrayContaining(['subjects', 'discard']));
    await publishAll();
    expect(await inStream()).toEqual(ids);
    expect(rebuilds).toEqual([]);
  });

  it('says which limits of the stream are not those of the settings, and publishes', async () => {
    const { made, limits } = publisher();
    await write(1);
    const changed = { ...SETTINGS, maxBytes: 32 * 2 ** 20 };
    await made.step(new EventStream(connection, changed));
    expect(limits.other).toEqual(['max_bytes']);
    expect(await inStream()).toHaveLength(1);
    expect(await new EventStream(connection, changed).make()).toEqual(['max_bytes']);
    expect(await new EventStream(connection, changed).make()).toEqual([]);
    await made.step(new EventStream(connection, changed));
    expect(limits.other).toEqual([]);
  });

  it('keeps in Postgres what a full stream refuses, until there is room', async () => {
    const { made, publishAll } = publisher('a');
    const small = new EventStream(connection, { ...SETTINGS, maxBytes: 20_000 });
    await small.make();
    const ids = await write(100);
    await expect(made.step(small)).rejects.toMatchObject({ api_error: { description: 'maximum bytes exceeded' } });
    const kept = await inStream();
    expect(kept.length).toBeGreaterThan(10);
    expect(await new OutboxState(database.pool).unpublished()).toBe(100 - kept.length);
    await new EventStream(connection, SETTINGS).make();
    await publishAll();
    expect((await inStream()).sort()).toEqual([...ids].sort());
  });

  it('releases the events that the server refused, and sends the others', async () => {
    const { publishAll, made, stream } = publisher();
    await publishAll();
    const [big] = await write(2);
    await database.pool.query(
      `UPDATE ledger.outbox SET payload = json_build_object('x', repeat('x', 2000000)) WHERE event_id = $1`,
      [big],
    );
    await expect(made.step(stream())).rejects.toThrow(/MAX_PAYLOAD/i);
    expect(await inStream()).toHaveLength(1);
    expect(await new OutboxState(database.pool).unpublished()).toBe(1);
  });
});

describe('a stream that lost events', () => {
  it('is filled again when the server lost its data: no effect is lost, none is doubled', async () => {
    const { publishAll, rebuilds } = publisher();
    const before = await write(300);
    await publishAll();
    const effects = consumer();
    await until(() => effects.size === 300);
    await loseEverything();
    const during = await write(200);
    await startAgain();
    const after = await write(100);
    await publishAll();
    await until(() => effects.size === 600);
    expect([...effects.keys()].sort()).toEqual([...before, ...during, ...after].sort());
    expect(await inStream()).toEqual([...before, ...during, ...after]);
    expect(rebuilds).toEqual([300]);
    // It is not rebuilt a second time.
    await publishAll();
    expect(rebuilds).toHaveLength(1);
  });

  it('is filled again by a process that was not there when it happened', async () => {
    const before = await write(50);
    await publisher('a').publishAll();
    await loseEverything();
    await startAgain();
    const other = publisher('a');
    await other.publishAll();
    expect(await inStream()).toEqual(before);
    expect(other.rebuilds).toEqual([50]);
  });

  it('is filled again when the server forgot the last messages only', async () => {
    const { publishAll, rebuilds } = publisher('a');
    const ids = await write(10);
    await publishAll();
    await forgetLastMessage();
    expect(await inStream()).toEqual(ids.slice(0, 9));
    await publishAll();
    expect(rebuilds).toEqual([10]);
    expect(await inStream()).toEqual(ids);
    await forgetLastMessage();
    // A process that starts later notices the loss too, and no process notices it for ever.
    const later = publisher('a');
    await later.publishAll();
    await later.publishAll();
    expect(later.rebuilds).toEqual([10]);
    expect(await inStream()).toEqual(ids);
  });

  it('is filled again although a process died between noticing the loss and filling it', async () => {
    const before = await write(20);
    await publisher('a').publishAll();
    await loseEverything();
    await startAgain();
    await books.outbox.republish(new Date(0));
    await publisher('a').publishAll();
    expect(await inStream()).toEqual(before);
  });
});
