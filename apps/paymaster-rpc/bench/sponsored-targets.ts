import type { BenchWorld } from './bench-world';
import { freshLoad } from './fresh-load';
import { constantRate } from './load';
import {
  CONNECTIONS,
  measureThroughput,
  medianCpu,
  medianRate,
  throughputLine,
  warmUp,
  type BenchOptions,
  type Throughput,
} from './measurement';
import { median, percentile } from './statistics';

const SERVERS = ['floor', 'unreserved', 'product'] as const;
type Server = (typeof SERVERS)[number];
const PerServer = <T>(make: () => T) => Object.fromEntries(SERVERS.map((name) => [name, make()])) as Record<Server, T>;

/**
 * Targets 1, 2 and 4: the gateway without its reservations and with them, against the floor: throughput, and the p99
 * at 70 % of each one's maximum. Limits given, policy warm, every operation new, every reply checked.
 */
export async function measureSponsored(world: BenchWorld, options: BenchOptions): Promise<void> {
  const { rounds, seconds, say, judge } = options;
  say(`sponsored operations of about 2.6 kB, ${CONNECTIONS} connections, every reply verified.`);
  for (const name of SERVERS) await warmUp(world, { server: world[name] });

  const throughput = PerServer<Throughput[]>(() => []);
  for (let round = 1; round <= rounds; round++) {
    for (const name of SERVERS) {
      const measured = await measureThroughput(world, { server: world[name], seconds });
      throughput[name].push(measured);
      say(throughputLine(round, name, measured));
    }
  }
  const rate = (name: Server): number => medianRate(throughput[name]);

  const p99 = PerServer<number[]>(() => []);
  for (let round = 1; round <= rounds; round++) {
    for (const name of SERVERS) {
      const perSecond = 0.7 * rate(name);
      const { requests, checked } = await freshLoad(world, { count: Math.ceil(perSecond * seconds) });
      const load = { port: world[name].port, requests, connections: CONNECTIONS, seconds, perSecond };
      const latencyMs = percentile(checked(await constantRate(load)).latenciesMs, 99);
      p99[name].push(latencyMs);
      say(
        `round ${round}  ${name.padEnd(10)} ${perSecond.toFixed(0).padStart(6)} req/s  p99 ${latencyMs.toFixed(1)} ms`,
      );
    }
  }
  report({ rate, cpu: (name) => medianCpu(throughput[name]), p99: (name) => median(p99[name]), say, judge });
}

function report(medians: {
  rate: (name: Server) => number;
  cpu: (name: Server) => number;
  p99: (name: Server) => number;
  say: BenchOptions['say'];
  judge: BenchOptions['judge'];
}): void {
  const { rate, cpu, p99, say, judge } = medians;
  const row = (title: string, of: (name: Server) => number, digits: number): string =>
    title.padEnd(36) + SERVERS.map((name) => of(name).toFixed(digits).padStart(11)).join('');
  const ratio = { unreserved: rate('unreserved') / rate('floor'), product: rate('product') / rate('floor') };
  const kept = rate('product') / rate('unreserved');
  const slower = { unreserved: p99('unreserved') / p99('floor'), product: p99('product') / p99('floor') };
  say('');
  say(
    row('medians', () => NaN, 0)
      .replace(/NaN/g, '   ')
      .slice(0, 36) + SERVERS.map((name) => name.padStart(11)).join(''),
  );
  say(row('throughput, req/s', rate, 0));
  say(row('CPU per request, us', cpu, 0));
  say(row('p99 at 70 % of its maximum, ms', p99, 1));
  const atLeast = (target: number, what: string, value: number, bound: number): void =>
    judge({ target, what, value: value.toFixed(2), bound: `>= ${bound.toFixed(2)}`, met: value >= bound });
  atLeast(1, 'throughput without reservations / floor (stretch 0.75)', ratio.unreserved, 0.6);
  atLeast(2, 'throughput with reservations / floor', ratio.product, 0.5);
  atLeast(2, 'throughput with reservations / without', kept, 0.8);
  for (const name of ['unreserved', 'product'] as const) {
    const met = slower[name] <= 2 && p99(name) <= 50;
    judge({
      target: 4,
      what: `p99 of ${name} / floor's`,
      value: slower[name].toFixed(2),
      bound: '<= 2 and <= 50 ms',
      met,
    });
  }
}
