import type { BenchPaymaster, BenchWorld } from './bench-world';
import { freshLoad } from './fresh-load';
import { closedLoop } from './load';
import type { PinnedServer } from './pinned-server';
import { median } from './statistics';
import type { Verdict } from './verdicts';

export const CONNECTIONS = 64;
/** Node compiles code as it gets hot: a gateway's first requests take twice the CPU of those after 25,000. */
const WARM_UP_SECONDS = 12;
/** More than a core answers: a request that is sent a second time would find its own reservation. */
export const MOST_PER_SECOND = 4_000;

/** How a target is measured, and where it says what it found. */
export interface BenchOptions {
  readonly rounds: number;
  /** Length of one measurement. */
  readonly seconds: number;
  readonly say: (line: string) => void;
  /** Says what became of a target, now and in the table at the end. */
  readonly judge: (verdict: Verdict) => void;
}

export interface Throughput {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly answered: number;
}

/** Opens what a server opens under load. What it answers meanwhile is looked at by nobody. */
export async function warmUp(
  world: BenchWorld,
  { server, paymasters }: { server: PinnedServer; paymasters?: readonly BenchPaymaster[] },
): Promise<void> {
  const { requests } = await freshLoad(world, { count: world.senders.length, ...(paymasters && { paymasters }) });
  await closedLoop({ port: server.port, requests, connections: CONNECTIONS, seconds: WARM_UP_SECONDS });
}

/** As much as a server takes of fresh requests for some seconds; every reply is checked. */
export async function measureThroughput(
  world: BenchWorld,
  run: { server: PinnedServer; seconds: number; paymasters?: readonly BenchPaymaster[] },
): Promise<Throughput> {
  const { server, seconds, paymasters } = run;
  const load = await freshLoad(world, { count: MOST_PER_SECOND * seconds, ...(paymasters && { paymasters }) });
  const cpuBefore = server.cpuSeconds();
  const result = await closedLoop({ port: server.port, requests: load.requests, connections: CONNECTIONS, seconds });
  const cpuMicros = ((server.cpuSeconds() - cpuBefore) * 1e6) / result.answered.length;
  load.checked(result);
  return { perSecond: result.answered.length / result.seconds, cpuMicros, answered: result.answered.length };
}

export function throughputLine(round: number, name: string, { perSecond, cpuMicros }: Throughput): string {
  const [rate, cpu] = [perSecond.toFixed(0).padStart(6), cpuMicros.toFixed(0).padStart(4)];
  return `round ${round}  ${name.padEnd(10)} ${rate} req/s  ${cpu} us CPU/req`;
}

export const medianRate = (rounds: readonly Throughput[]): number => median(rounds.map(({ perSecond }) => perSecond));
export const medianCpu = (rounds: readonly Throughput[]): number => median(rounds.map(({ cpuMicros }) => cpuMicros));
