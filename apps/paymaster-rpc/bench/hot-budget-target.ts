import type { BenchWorld } from './bench-world';
import {
  measureThroughput,
  medianRate,
  throughputLine,
  warmUp,
  type BenchOptions,
  type Throughput,
} from './measurement';

const PAYMASTERS = 64;

/** Target 7, first half: one wallet and its budgets asked by everybody, against as many spread over many paymasters. */
export async function measureHotBudget(
  world: BenchWorld,
  { rounds, seconds, say, judge }: BenchOptions,
): Promise<void> {
  const spread = await Promise.all(Array.from({ length: PAYMASTERS }, () => world.newPaymaster()));
  const kinds = [
    { name: 'hot', paymasters: [world.paymaster], measured: [] as Throughput[] },
    { name: 'spread', paymasters: spread, measured: [] as Throughput[] },
  ];
  say('');
  say(`sponsored operations of one paymaster (hot), and of ${PAYMASTERS} (spread), each with a wallet of its own.`);
  const { product: server } = world;
  for (const { paymasters } of kinds) await warmUp(world, { server, paymasters });
  for (let round = 1; round <= rounds; round++) {
    for (const { name, paymasters, measured } of kinds) {
      const one = await measureThroughput(world, { server, paymasters, seconds });
      measured.push(one);
      say(throughputLine(round, name, one));
    }
  }
  const [hot = 0, cool = 0] = kinds.map(({ measured }) => medianRate(measured));
  say('');
  const kept = hot / cool;
  judge({
    target: 7,
    what: 'one hot budget / spread budgets',
    value: kept.toFixed(2),
    bound: '>= 0.70',
    met: kept >= 0.7,
  });
}
