import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startNats, type Nats } from '@paymaster/devnet';
import {
  natsConnectionOptions,
  SPONSORSHIP_STREAM,
  SponsorshipConsumer,
  type NatsSettings,
  type SponsorshipEvent,
} from '@paymaster/messaging';
import { connect, type NatsConnection } from 'nats';
import { until } from '../testing/until';
import { EventStream } from './event-stream';

const CONF = join(__dirname, '../../../../k8s/base/nats/nats.conf');
const SETTINGS = { maxAgeMs: 86_400_000, maxBytes: 64 * 2 ** 20, replicas: 1 };

let nats: Nats;
const closers: Array<() => Promise<unknown>> = [];

beforeAll(async () => {
  const env = {
    NATS_DASHBOARD_PASSWORD: '"dashboard"',
    NATS_PAYMASTER_RPC_PASSWORD: '"paymaster-rpc"',
    NATS_SETTLEMENT_PASSWORD: '"settlement"',
  };
  nats = await startNats({ config: { file: CONF, env } });
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => nats.stop());

const as = (user: string): NatsSettings => ({ natsUrl: nats.url, natsUser: user, natsPassword: user });

async function connectionOf(user: string): Promise<{ connection: NatsConnection; problems: string[] }> {
  const connection = await connect({ ...natsConnectionOptions(as(user), 'test'), inboxPrefix: `_INBOX_${user}` });
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
  it('lets settlement make, fill, check and clear the stream, and the dashboard read it', async () => {
    const { connection, problems } = await connectionOf('settlement');
    const stream = new EventStream(connection, SETTINGS);
    expect(await stream.exists()).toBe(false);
    await stream.create();
    await stream.adjust();
    const place = await stream.publish(event);
    expect(await stream.holds(place)).toBe(true);
    expect(await stream.lastOf(event)).toEqual(place);

    const handled: SponsorshipEvent[] = [];
    const consumer = new SponsorshipConsumer({
      nats: as('dashboard'),
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

  it.each(['dashboard', 'paymaster-rpc'])('lets no %s put events into the stream', async (user) => {
    const { connection, problems } = await connectionOf(user);
    connection.publish('sponsorship.settled.p', '{}');
    await until(() => problems.length === 1);
    expect(problems[0]).toMatch(/PERMISSIONS_VIOLATION|Permissions Violation/i);
  });

  it.each<[string, string]>([
    ['dashboard', `$JS.API.STREAM.DELETE.${SPONSORSHIP_STREAM}`],
    ['dashboard', `$JS.API.STREAM.PURGE.${SPONSORSHIP_STREAM}`],
    ['dashboard', `$JS.API.CONSUMER.DELETE.${SPONSORSHIP_STREAM}.dashboard-usage`],
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
