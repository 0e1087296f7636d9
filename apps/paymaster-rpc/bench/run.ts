import { spawnSync } from 'node:child_process';
import { publicKeyCreate } from 'secp256k1';
import { startBenchWorld, type BenchWorld } from './bench-world';
import { postRequest } from './http-connection';
import { closedLoop, constantRate, type LoadResult } from './load';
import { canPin, SERVER_CORE, type PinnedServer } from './pinned-server';
import { measureQuotes } from './quote-target';
import { ReplyChecker, requestBody, sponsoredOperations } from './sponsored-requests';
import { median, percentile } from './statistics';

const CONNECTIONS = 64;
const OPERATIONS = 2_000;
const WARM_UP_SECONDS = 3;

/** Targets of the project: throughput against the floor; p99 at 70 % of the maximum against the floor's, and in ms. */
const TARGETS = { throughputRatio: 0.6, latencyRatio: 2, latencyMs: 50 };

interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const rounds = Math.max(3, Number(process.env['BENCH_ROUNDS'] ?? 3));
  const seconds = Number(process.env['BENCH_SECONDS'] ?? 6);
  if (canPin) spawnSync('taskset', ['-acp', `${SERVER_CORE + 1}`, String(process.pid)]);
  else say('taskset is not here: servers and generator share all cores, expect more noise.');
  const nodeArguments = (process.env['BENCH_NODE_ARGUMENTS'] ?? '').split(' ').filter(Boolean);
  const world = await startBenchWorld({ nodeArguments });
  try {
    await measure(world, { rounds, seconds });
    await measureQuotes(world, { rounds, seconds, say });
  } finally {
    await world.stop();
  }
}

/** How long this process was kept from running while it had nothing to wait for: what no server is to blame for. */
function longestStallMs(): number {
  const endsAtMs = performance.now() + 1_000;
  let longest = 0;
  for (let last = performance.now(); last < endsAtMs;) {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

async function measure(world: BenchWorld, { rounds, seconds }: { rounds: number; seconds: number }): Promise<void> {
  const operations = sponsoredOperations(OPERATIONS, world.demo);
  const requests = operations.map((operation) => postRequest(world.path, requestBody(operation)));
  const signerPublicKey = publicKeyCreate(Buffer.from(world.signerPrivateKey.slice(2), 'hex'));
  const checker = await ReplyChecker.create({ ...world, signerPublicKey }, operations);
  const servers = [world.floor, world.product] as const;
  const checked = (result: LoadResult): LoadResult => {
    for (const answered of result.answered) checker.check(answered);
    return result;
  };

  say(`${OPERATIONS} operations of ${requests[0]?.length} bytes, ${CONNECTIONS} connections, every reply verified.`);
  for (const server of servers) {
    checked(await closedLoop({ port: server.port, requests, connections: CONNECTIONS, seconds: WARM_UP_SECONDS }));
  }
  const throughput = new Map<PinnedServer, Round[]>(servers.map((server) => [server, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const server of servers) {
      const cpuBefore = server.cpuSeconds();
      const result = await closedLoop({ port: server.port, requests, connections: CONNECTIONS, seconds });
      const cpuMicros = ((server.cpuSeconds() - cpuBefore) * 1e6) / result.answered.length;
      const measured = { perSecond: result.answered.length / result.seconds, cpuMicros };
      throughput.get(server)?.push(measured);
      checked(result);
      say(
        `round ${round}  ${server.name.padEnd(8)} ${measured.perSecond.toFixed(0).padStart(6)} req/s  ${cpuMicros.toFixed(0).padStart(4)} us CPU/req`,
      );
    }
  }
  const perSecond = (server: PinnedServer): number =>
    median((throughput.get(server) ?? []).map((one) => one.perSecond));
  const cpu = (server: PinnedServer): number => median((throughput.get(server) ?? []).map((one) => one.cpuMicros));

  const p99 = new Map<PinnedServer, number[]>(servers.map((server) => [server, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const server of servers) {
      const rate = 0.7 * perSecond(server);
      const load = { port: server.port, requests, connections: CONNECTIONS, seconds, perSecond: rate };
      const latency = percentile(checked(await constantRate(load)).latenciesMs, 99);
      p99.get(server)?.push(latency);
      say(
        `round ${round}  ${server.name.padEnd(8)} ${rate.toFixed(0).padStart(6)} req/s  p99 ${latency.toFixed(1)} ms`,
      );
    }
  }
  const latency = (server: PinnedServer): number => median(p99.get(server) ?? []);

  const { floor, product } = world;
  const ratio = perSecond(product) / perSecond(floor);
  const cpuRatio = cpu(floor) / cpu(product);
  const latencyRatio = latency(product) / latency(floor);
  const fast = ratio >= TARGETS.throughputRatio;
  const smooth = latencyRatio <= TARGETS.latencyRatio && latency(product) <= TARGETS.latencyMs;
  const mark = (met: boolean): string => (met ? 'met' : 'MISSED');
  say('');
  say('medians                                   floor    product      ratio');
  say(
    `#1 throughput, req/s                 ${perSecond(floor).toFixed(0).padStart(10)} ${perSecond(product).toFixed(0).padStart(10)} ${ratio.toFixed(2).padStart(10)}   target >= 0.60 (stretch 0.75): ${mark(fast)}`,
  );
  say(
    `   CPU per request, us               ${cpu(floor).toFixed(0).padStart(10)} ${cpu(product).toFixed(0).padStart(10)} ${cpuRatio.toFixed(2).padStart(10)}   floor / product`,
  );
  say(
    `#4 p99 at 70 % of its maximum, ms    ${latency(floor).toFixed(1).padStart(10)} ${latency(product).toFixed(1).padStart(10)} ${latencyRatio.toFixed(2).padStart(10)}   target <= 2 and <= 50 ms: ${mark(smooth)}`,
  );
  say(`   longest stall of this machine itself in a second, ms: ${longestStallMs().toFixed(1)}`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
