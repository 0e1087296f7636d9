import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@paymaster/devnet';
import type { BenchWorld } from './bench-world';
import { HttpConnection, postRequest, type Reply } from './http-connection';
import {
  measureThroughput,
  medianCpu,
  throughputLine,
  warmUp,
  type BenchOptions,
  type Throughput,
} from './measurement';
import { hearPolicyQuestions, type AskedPolicies, type PolicyQuestions } from './policy-questions';
import { startTenantWorld, type TenantWorld } from './tenant-world';
import { Zipf } from './zipf';

const KEYS = 100_000;
/** Of each paymaster, with four methods each; and one policy. */
const CONTRACTS = 5;
/** The project's: memory of all copies, and how many requests of Zipf 1.0 find one. */
const MOST_MEGABYTES = 256;
const LEAST_HITS = 0.95;
const PROGRESS_EVERY = 25_000;
/** Fewer than the gateway lets time out, with a look-up for each. */
const FILLING_CONNECTIONS = 16;
/** How often a look-up that took a busy machine too long is asked for again. */
const ATTEMPTS = 20;

/**
 * Target 6: a gateway whose requests come from 100,000 keys by Zipf's law with exponent 1. All keys are asked for
 * once, in the order in which endless traffic of this kind would have asked for them last; then what is in memory is
 * what always would be, and traffic is measured. Who listens on NATS sees which requests found no copy.
 *
 * @throws when a reply is wrong
 */
export async function measurePolicyCache(world: BenchWorld, options: BenchOptions): Promise<void> {
  const { say } = options;
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-bench-memory-'));
  const memoryFile = join(folder, 'memory.json');
  const postgres = await startPostgres({ durable: true });
  const closers: Array<() => Promise<unknown>> = [() => postgres.stop()];
  try {
    say('');
    say(`policy cache: filling a database with ${KEYS} paymasters of ${CONTRACTS} contracts and one policy each.`);
    const tenants = await startTenantWorld(world, {
      ...{ name: 'cache', postgres, count: KEYS, contractsEach: CONTRACTS, say },
      nodeArguments: ['--expose-gc', '-r', join(__dirname, 'memory-probe.cjs')],
      gatewayEnv: { BENCH_MEMORY_FILE: memoryFile },
    });
    closers.push(() => tenants.stop());
    const questions = await hearPolicyQuestions(tenants.natsUrl);
    closers.push(() => questions.stop());
    await measure({ world, tenants, questions, options, memory: () => memoryOf(tenants, memoryFile) });
  } finally {
    for (const close of closers.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(run: {
  world: BenchWorld;
  tenants: TenantWorld;
  questions: PolicyQuestions;
  options: BenchOptions;
  memory: () => Promise<Memory>;
}): Promise<void> {
  const { world, tenants, questions, memory } = run;
  const { rounds, seconds, say, judge } = run.options;
  const zipf = new Zipf(KEYS);
  const oneKey = [tenants.tenant(0)];
  const everybody = () => Array.from({ length: 20_000 }, () => tenants.tenant(zipf.next()));

  // What a gateway holds that serves one key.
  await warmUp(world, { server: tenants.gateway, paymasters: oneKey });
  const before = await memory();
  await askEachOnce(tenants, { order: zipf.lastAsked(), say });
  say(`every key was asked for; ${await policiesInMemory(tenants)}`);

  const measured = { one: [] as Throughput[], zipf: [] as Throughput[] };
  const asked: AskedPolicies[] = [];
  for (let round = 1; round <= rounds; round++) {
    measured.one.push(await measureThroughput(world, { server: tenants.gateway, seconds, paymasters: oneKey }));
    say(throughputLine(round, 'one key', measured.one.at(-1)!));
    await questions.take();
    measured.zipf.push(await measureThroughput(world, { server: tenants.gateway, seconds, paymasters: everybody() }));
    asked.push(await questions.take());
    const { fetched, confirmed } = asked.at(-1)!;
    say(`${throughputLine(round, 'Zipf', measured.zipf.at(-1)!)}  ${fetched} not in memory, ${confirmed} confirmed`);
  }
  const after = await memory();

  const requests = measured.zipf.reduce((sum, { answered }) => sum + answered, 0);
  const share = (of: keyof AskedPolicies): number => asked.reduce((sum, each) => sum + each[of], 0) / requests;
  const hits = 1 - share('fetched');
  const megabytes = (after.used - before.used) / 2 ** 20;
  say(`${(100 * share('confirmed')).toFixed(1)} % of the requests had their copy confirmed by the dashboard`);
  say(`CPU of a request against one key: ${(medianCpu(measured.zipf) / medianCpu(measured.one)).toFixed(2)}`);
  say(`process: ${(after.resident / 2 ** 20).toFixed(0)} MB resident; ${await policiesInMemory(tenants)}`);
  judge({
    ...{ target: 6, what: `memory of the policy cache, ${KEYS} keys`, value: `${megabytes.toFixed(0)} MB` },
    ...{ bound: `<= ${MOST_MEGABYTES} MB`, met: megabytes <= MOST_MEGABYTES },
  });
  judge({
    ...{ target: 6, what: `hit rate on Zipf 1.0 over ${KEYS} keys`, value: `${(100 * hits).toFixed(1)} %` },
    ...{ bound: `>= ${100 * LEAST_HITS} %`, met: hits >= LEAST_HITS },
  });
}

/** One cheap request with every key, in this order. */
async function askEachOnce(
  tenants: TenantWorld,
  { order, say }: { order: Uint32Array; say: BenchOptions['say'] },
): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_supportedEntryPoints', params: [] });
  let next = 0;
  const askOn = async (): Promise<void> => {
    const connection = await HttpConnection.open(tenants.gateway.port);
    while (next < order.length) {
      if (next % PROGRESS_EVERY === 0) say(`  ${next} of ${order.length} keys asked for once`);
      await askUntilKnown(connection, postRequest(tenants.tenant(order[next++]!).path, body));
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: FILLING_CONNECTIONS }, askOn));
}

async function askUntilKnown(connection: HttpConnection, request: Buffer): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const reply = await new Promise<Reply | Error>((done) => connection.send(request, done));
    if (reply instanceof Error) throw reply;
    if (reply.body.includes('"result":["0x')) return;
    if (reply.status !== 503 || attempt === ATTEMPTS) throw new Error(`wrong reply: ${reply.status} ${reply.body}`);
  }
}

interface Memory {
  /** Heap and what it refers to outside of it, without garbage; bytes. */
  readonly used: number;
  readonly resident: number;
}

async function memoryOf({ gateway }: TenantWorld, file: string): Promise<Memory> {
  rmSync(file, { force: true });
  process.kill(gateway.pid, 'SIGUSR2');
  for (let attempt = 0; !existsSync(file); attempt++) {
    if (attempt === 200) throw new Error('the gateway does not say what memory it uses');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external, rss } = JSON.parse(readFileSync(file, 'utf8')) as NodeJS.MemoryUsage;
  return { used: heapUsed + external, resident: rss };
}

async function policiesInMemory({ gateway }: TenantWorld): Promise<string> {
  const health = await fetch(`http://127.0.0.1:${gateway.port}/health`);
  const { checks } = (await health.json()) as { checks: { policy: { detail: string } } };
  return checks.policy.detail;
}
