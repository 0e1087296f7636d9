import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startNats, type Nats } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import {
  natsConnectionOptions,
  SPONSORSHIP_STREAM,
  SponsorshipConsumer,
  type NatsSettings,
  type SponsorshipEvent,
} from '@paymaster/messaging';
import { connect, type NatsConnection } from 'nats';
import { EventStream, StreamMissingError } from './event-stream';

const CONF = join(__dirname, '../../../../k8s/base/nats/nats.conf');
const SETTINGS = { maxAgeMs: 86_400_000, maxBytes: 64 * 2 ** 20, replicas: 1 };

let nats: Nats;
const closers: Array<() => Promise<unknown>> = [];

async function startProductionNats(): Promise<Nats> {
  const users = ['dashboard', 'paymaster-rpc', 'settlement', 'stream-maker'];
  const env = users.map((user) => [`NATS_${user.toUpperCase().replace('-', '_')}_PASSWORD`, `"${user}"`]);
  return startNats({ config: { file: CONF, env: Object.fromEntries(env) as NodeJS.ProcessEnv } });
}

beforeAll(async () => {
  nats = await startProductionNats();
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => nats.stop());

const as = (user: string): NatsSettings => ({
  natsUrl: nats.url,
  natsUser: user,
  natsPassword: user.replace('-events', ''),
});

async function connectionOf(user: string): Promise<{ connection: NatsConnection; problems: string[] }> {
  const inboxPrefix = user === 'paymaster-rpc' ? '_INBOX' : `_INBOX_${user}`;
  const connection = await connect({ ...natsConnectionOptions(as(user), 'test'), inboxPrefix });
  closers.push(() => connection.close());
  const problems: string[] = [];
  void (async () => {
    for await (const { data } of connection.status()) problems.push(String(data));
  })();
  return { connection, problems };
}

const event = {
  eventId: randomUUID(),
  atMs: 1,
  chainId: 1,
  paymasterId: null,
  kind: 'walletChanged',
  contract: `0x${'11'.repeat(20)}`,
  fundingWallet: `0x${'22'.repeat(20)}`,
  spendableWei: '1',
  heldWei: '0',
} as const satisfies SponsorshipEvent;

describe('NATS with a user per app', () => {
  it('lets the job make the stream, settlement fill, check and clear it, and the dashboard read it', async () => {
    const maker = await connectionOf('stream-maker');
    const { connection, problems } = await connectionOf('settlement');
    const stream = new EventStream(connection, SETTINGS);
    await expect(stream.check()).rejects.toThrow(StreamMissingError);
    const old = { ...SETTINGS, maxBytes: 2 ** 20 };
    expect(await new EventStream(maker.connection, old).make()).toBeUndefined();
    expect(await stream.check()).toEqual(['max_bytes']);
    expect(await new EventStream(maker.connection, SETTINGS).make()).toEqual(['max_bytes']);
    expect(await stream.check()).toEqual([]);
    expect(maker.problems).toEqual([]);
    const place = await stream.publish(event);
    expect(await stream.holds(place)).toBe(true);
    expect(await stream.lastOf(event)).toEqual(place);

    const handled: SponsorshipEvent[] = [];
    const consumer = new SponsorshipConsumer({
      nats: as('dashboard-events'),
      durable: 'dashboard-usage',
      handle: async (each) => void handled.push(each),
      onPoison: async () => undefined,
    });
    consumer.start();
    closers.push(() => consumer.stop());
    await until(() => handled.length === 1);
    expect(handled).toEqual([event]);
    await until(async () => (await stream.consumedUpTo({ consumers: 1 })) === place.sequence);
    await stream.forgetBefore(place.sequence + 1);
    expect(await stream.holds(place)).toBe(false);
    expect(problems).toEqual([]);
  });

  it.each(['dashboard', 'paymaster-rpc', 'dashboard-events', 'stream-maker'])(
    'lets no %s put events into the stream',
    async (user) => {
      const { connection, problems } = await connectionOf(user);
      connection.publish('sponsorship.settled.p', '{}');
      await until(() => problems.length === 1);
      expect(problems[0]).toMatch(/PERMISSIONS_VIOLATION|Permissions Violation/i);
    },
  );

  it.each<[string, string]>([
    ['dashboard-events', `$JS.API.STREAM.DELETE.${SPONSORSHIP_STREAM}`],
    ['dashboard-events', `$JS.API.STREAM.PURGE.${SPONSORSHIP_STREAM}`],
    ['dashboard-events', `$JS.API.CONSUMER.DELETE.${SPONSORSHIP_STREAM}.dashboard-usage`],
    ['settlement', `$JS.API.STREAM.CREATE.${SPONSORSHIP_STREAM}`],
    ['settlement', `$JS.API.STREAM.UPDATE.${SPONSORSHIP_STREAM}`],
    ['stream-maker', `$JS.API.STREAM.DELETE.${SPONSORSHIP_STREAM}`],
    ['stream-maker', `$JS.API.STREAM.MSG.GET.${SPONSORSHIP_STREAM}`],
    ['stream-maker', `$JS.API.CONSUMER.CREATE.${SPONSORSHIP_STREAM}.x`],
    ['settlement', `$JS.API.STREAM.DELETE.${SPONSORSHIP_STREAM}`],
    ['settlement', `$JS.API.CONSUMER.DELETE.${SPONSORSHIP_STREAM}.dashboard-usage`],
    ['settlement', `$JS.API.CONSUMER.MSG.NEXT.${SPONSORSHIP_STREAM}.dashboard-usage`],
    ['settlement', '$JS.API.STREAM.PURGE.OTHER'],
    ['settlement', 'paymaster.policy.changed'],
    ['paymaster-rpc', `$JS.API.STREAM.PURGE.${SPONSORSHIP_STREAM}`],
    ['paymaster-rpc', `$JS.API.STREAM.INFO.${SPONSORSHIP_STREAM}`],
  ])('does not let %s publish to %s', async (user, subject) => {
    const { connection, problems } = await connectionOf(user);
    connection.publish(subject, '{}');
    await until(() => problems.length === 1);
  });

  it("does not let one app hear another one's answers", async () => {
    const { connection, problems } = await connectionOf('dashboard');
    connection.subscribe('_INBOX_settlement.>', { callback: () => undefined });
    await until(() => problems.length === 1);
  });
});

type Request = readonly [subject: string, body: object];
const STREAMS = [SPONSORSHIP_STREAM, 'THIEF'];
const OF_POLICIES = ['paymaster.policy.resolve', 'paymaster.policy.changed'];
const SECRET = 'https://owner.example/hook?secret=hunter2';

/** Those in whose account JetStream is. The first of them may make a stream as a thief wants it, for the others to read. */
const THIEVES = ['stream-maker', 'settlement', 'dashboard-events'];
const EVERYTHING = { subjects: ['sponsorship.>', 'paymaster.>', '_INBOX.>'] };

/** Requests that make JetStream record messages of others, or pass them on. */
function waysToCopy(stream: string, { config, copy }: { config: object; copy: string }): Request[] {
  const consumer = {
    stream_name: stream,
    config: { durable_name: 'thief', deliver_subject: copy, ack_policy: 'none' },
  };
  return [
    [`STREAM.CREATE.${stream}`, { name: stream, ...config }],
    [`STREAM.UPDATE.${stream}`, { name: stream, ...config }],
    ['STREAM.TEMPLATE.CREATE.thief', { name: 'thief', config }],
    [`STREAM.RESTORE.${stream}`, { config: { name: stream, ...config }, state: {} }],
    [`CONSUMER.CREATE.${stream}.thief`, consumer],
    [`CONSUMER.DURABLE.CREATE.${stream}.thief`, consumer],
  ];
}

/** Requests that make JetStream show what it recorded. */
function waysToRead(stream: string, copy: string): Request[] {
  return [
    ['INFO', {}],
    [`STREAM.INFO.${stream}`, { subjects_filter: '>' }],
    ...OF_POLICIES.flatMap((last_by_subj): Request[] => [
      [`STREAM.MSG.GET.${stream}`, { last_by_subj }],
      [`DIRECT.GET.${stream}`, { last_by_subj }],
      [`DIRECT.GET.${stream}.${last_by_subj}`, {}],
    ]),
    [`CONSUMER.MSG.NEXT.${stream}.thief`, { batch: 100 }],
    [`STREAM.SNAPSHOT.${stream}`, { deliver_subject: copy }],
  ];
}

describe('what the dashboard says of policies', () => {
  beforeEach(async () => {
    await nats.stop();
    nats = await startProductionNats();
  });

  it.each<[string, (copy: string) => object]>([
    ['records it', () => ({ subjects: ['paymaster.policy.>'] })],
    ['records all', () => ({ ...EVERYTHING, allow_direct: true })],
    ['tells it again', (copy) => ({ ...EVERYTHING, republish: { src: '>', dest: `${copy}.>` } })],
    ['mirrors', (copy) => ({ mirror: { name: 'POLICIES', external: { api: '$JS.POLICIES.API', deliver: copy } } })],
    ['gathers', (copy) => ({ sources: [{ name: 'POLICIES', external: { api: '$JS.POLICIES.API', deliver: copy } }] })],
  ])('reaches no other user, with a stream that %s', async (_title, configOf) => {
    const heard: string[] = [];
    const thieves = [];
    for (const user of THIEVES) {
      const { connection } = await connectionOf(user);
      const copy = `_INBOX_${user}.copy`;
      for (const subject of [copy, `${copy}.>`, 'paymaster.policy.>', '_INBOX.>', '>', '$SYS.>'])
        connection.subscribe(subject, { callback: (error, message) => void (error ?? heard.push(message.string())) });
      const ask = async ([request, body]: Request) => {
        const answer = await connection.request(`$JS.API.${request}`, JSON.stringify(body)).catch(() => undefined);
        heard.push(answer?.string() ?? '');
        // The server's answer may itself be a request.
        connection.publish(`$JS.API.${request}`, JSON.stringify(body), {
          reply: `$JS.API.STREAM.UPDATE.${SPONSORSHIP_STREAM}`,
        });
      };
      thieves.push({ ask, copy });
    }
    for (const { ask, copy } of thieves)
      for (const stream of STREAMS)
        for (const way of waysToCopy(stream, { config: configOf(copy), copy })) await ask(way);
    expect(heard.join()).toContain('stream_create_response');

    const { connection: dashboard } = await connectionOf('dashboard');
    const { connection: gateway } = await connectionOf('paymaster-rpc');
    const changes = gateway.subscribe('paymaster.policy.changed', { max: 1 });
    dashboard.subscribe('paymaster.policy.resolve', { callback: (_, message) => void message.respond(SECRET) });
    await Promise.all([dashboard.flush(), gateway.flush()]);
    const answer = await gateway.request('paymaster.policy.resolve', SECRET, { timeout: 10_000 });
    expect(answer.string()).toBe(SECRET);
    dashboard.publish('paymaster.policy.changed', SECRET);
    for await (const change of changes) expect(change.string()).toBe(SECRET);

    for (const { ask, copy } of thieves)
      for (const way of STREAMS.flatMap((stream) => waysToRead(stream, copy))) await ask(way);
    const said = heard.join('\n');
    for (const hidden of [SECRET, Buffer.from(SECRET).toString('base64')]) expect(said).not.toContain(hidden);
  });
});
