import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startNats, type Nats } from '@paymaster/devnet';
import { MessageAuthenticator, RATE_SUBJECTS, RateGossip } from '@paymaster/messaging';
import { TokenBuckets } from '@paymaster/nest-kit';
import { connect } from 'nats';

const PROCESSES = 3;
const PER_SECOND = 50;
const CAPACITY = 100;
/** What clients send to all processes together. */
const OFFERED_PER_SECOND = 600;
/** Between two messages, plus what a busy machine adds to it. */
const ROUND_SECONDS = 0.1 + 0.2;
const KEY = 'ab'.repeat(32);

interface Limiter {
  readonly buckets: TokenBuckets;
  readonly gossip: RateGossip;
}

let nats: Nats;
let port: number;
let limiters: Limiter[];

beforeEach(async () => {
  port = await freePort();
  nats = await startNats({ port });
  limiters = Array.from({ length: PROCESSES }, () => {
    const buckets = new TokenBuckets({ perSecond: PER_SECOND, capacity: CAPACITY, shared: true });
    const gossip = new RateGossip({
      nats: { natsUrl: nats.url },
      name: 'limiter',
      subject: RATE_SUBJECTS.gateway,
      authenticator: new MessageAuthenticator('11'.repeat(32)),
      limits: { keys: buckets },
    });
    gossip.start();
    return { buckets, gossip };
  });
  await untilConnected(true);
});
afterEach(async () => {
  for (const { gossip } of limiters) await gossip.close();
  await nats.stop();
});

async function untilConnected(wanted: boolean): Promise<void> {
  for (let tries = 0; limiters.some(({ gossip }) => gossip.connected !== wanted); tries++) {
    if (tries > 600) throw new Error(`not ${wanted ? 'connected' : 'away'} after a minute`);
    await sleep(100);
  }
  // A subscription is in place once a later message of its connection was answered.
  await sleep(200);
}

/** Sends evenly to all processes. @returns how much was let through, and in how many seconds */
async function load(seconds: number, key = KEY): Promise<{ passed: number; seconds: number }> {
  const started = performance.now();
  let sent = 0;
  let passed = 0;
  for (let elapsed = 0; elapsed < seconds; elapsed = (performance.now() - started) / 1_000) {
    for (; sent < elapsed * OFFERED_PER_SECOND; sent++) {
      if (limiters[sent % PROCESSES]!.buckets.take(key) === 0) passed += 1;
    }
    await sleep(5);
  }
  return { passed, seconds: (performance.now() - started) / 1_000 };
}

describe('rate limits of several processes', () => {
  it('let through together as much as one process would, and what comes between two messages', async () => {
    const { passed, seconds } = await load(5);
    const alone = CAPACITY + PER_SECOND * seconds;
    expect(passed).toBeGreaterThan(alone * 0.8);
    expect(passed).toBeLessThanOrEqual(alone + OFFERED_PER_SECOND * ROUND_SECONDS);
    expect(passed).toBeLessThan(alone * PROCESSES * 0.7);
  });

  it('are held by each process alone while NATS is away, and together when it is back', async () => {
    await nats.stop();
    await untilConnected(false);
    const away = await load(2);
    const ofEach = CAPACITY + PER_SECOND * away.seconds;
    expect(away.passed).toBeLessThanOrEqual(ofEach * PROCESSES);
    expect(away.passed).toBeGreaterThan(ofEach * (PROCESSES - 1));

    nats = await startNats({ port });
    await untilConnected(true);
    const { passed, seconds } = await load(3, 'cd'.repeat(32));
    expect(passed).toBeLessThanOrEqual(CAPACITY + PER_SECOND * seconds + OFFERED_PER_SECOND * ROUND_SECONDS);
  });

  it('do not change by messages of a stranger, which are counted', async () => {
    const stranger = await connect({ servers: nats.url });
    const forged = new MessageAuthenticator('22'.repeat(32)).signRates(RATE_SUBJECTS.gateway, '{}');
    const garbage = ['', '{', 'null', JSON.stringify(forged), 'x'.repeat(500_000)];
    for (const data of garbage) stranger.publish(RATE_SUBJECTS.gateway, data);
    await stranger.flush();
    for (let tries = 0; limiters.some(({ gossip }) => gossip.counts.ignored < garbage.length); tries++) {
      if (tries > 100) throw new Error('the garbage was not counted');
      await sleep(100);
    }
    await stranger.close();
    for (const { buckets, gossip } of limiters) {
      expect(gossip.counts).toEqual({ told: 0, heard: 0, ignored: garbage.length });
      expect(buckets.take(KEY, CAPACITY)).toBe(0);
    }
  });
});
