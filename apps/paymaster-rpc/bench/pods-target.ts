import { join } from 'node:path';
import { freePort } from '@paymaster/devnet';
import type { BenchWorld } from './bench-world';
import { freshLoad } from './fresh-load';
import { closedLoop } from './load';
import { CONNECTIONS, MOST_PER_SECOND, warmUp, type BenchOptions } from './measurement';
import { PinnedServer } from './pinned-server';
import { median } from './statistics';

/**
 * Target 10: how soon a gateway is ready, with everything it needs there, against the least that Nest can do; and what
 * two gateways that share a core answer, against one that has it alone.
 */
export async function measurePods(world: BenchWorld, options: BenchOptions): Promise<void> {
  await measureColdStart(world, options);
  await measureTwoOnOneCore(world, options);
}

async function measureColdStart(world: BenchWorld, { rounds, say, judge }: BenchOptions): Promise<void> {
  say('');
  say("from a process's start until it is ready: a Nest with one route, and the gateway.");
  const kinds = [
    { name: 'hello', start: startHello, measuredMs: [] as number[] },
    { name: 'gateway', start: () => world.another(), measuredMs: [] as number[] },
  ];
  // Once unmeasured: its files are read from disk the first time.
  for (let round = 0; round <= rounds; round++) {
    for (const { name, start, measuredMs } of kinds) {
      const server = await start();
      await server.stop();
      if (round === 0) continue;
      measuredMs.push(server.readyAfterMs);
      say(`round ${round}  ${name.padEnd(10)} ready after ${server.readyAfterMs.toFixed(0).padStart(5)} ms`);
    }
  }
  const [hello = NaN, gateway = NaN] = kinds.map(({ measuredMs }) => median(measuredMs));
  const slower = gateway / hello;
  judge({
    target: 10,
    what: "cold start / a Nest hello's",
    value: slower.toFixed(2),
    bound: '<= 2.50',
    met: slower <= 2.5,
  });
}

async function startHello(): Promise<PinnedServer> {
  const port = await freePort();
  return PinnedServer.start({
    ...{ name: 'hello', port, args: [join(__dirname, 'nest-hello.cjs')] },
    env: { NODE_ENV: 'production' },
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/`)).ok,
  });
}

async function measureTwoOnOneCore(world: BenchWorld, { rounds, seconds, say, judge }: BenchOptions): Promise<void> {
  say('');
  say(`sponsored operations, ${CONNECTIONS} connections: to one gateway, and to two on the same core.`);
  const second = await world.another();
  const kinds = [
    { name: 'one', servers: [world.product], measured: [] as number[] },
    { name: 'two', servers: [world.product, second], measured: [] as number[] },
  ];
  try {
    for (const server of [world.product, second]) await warmUp(world, { server });
    for (let round = 1; round <= rounds; round++) {
      for (const { name, servers, measured } of kinds) {
        const perSecond = await throughputOf(world, { servers, seconds });
        measured.push(perSecond);
        say(`round ${round}  ${name.padEnd(10)} ${perSecond.toFixed(0).padStart(6)} req/s`);
      }
    }
  } finally {
    await second.stop();
  }
  const [one = NaN, two = NaN] = kinds.map(({ measured }) => median(measured));
  const kept = two / one;
  judge({
    target: 10,
    what: 'two gateways on one core / one',
    value: kept.toFixed(2),
    bound: '>= 0.85',
    met: kept >= 0.85,
  });
}

/** As much as servers take together that share the connections; every reply is checked. */
async function throughputOf(
  world: BenchWorld,
  { servers, seconds }: { servers: readonly PinnedServer[]; seconds: number },
): Promise<number> {
  const count = (MOST_PER_SECOND * seconds) / servers.length;
  const loads = await Promise.all(servers.map(() => freshLoad(world, { count })));
  const results = await Promise.all(
    servers.map(({ port }, index) =>
      closedLoop({ port, requests: loads[index]!.requests, connections: CONNECTIONS / servers.length, seconds }),
    ),
  );
  results.forEach((result, index) => loads[index]!.checked(result));
  return results.reduce((sum, { answered, seconds: took }) => sum + answered.length / took, 0);
}
