import { spawnSync } from 'node:child_process';
import { startBenchWorld, type BenchWorld } from './bench-world';
import { measureClients } from './clients-target';
import { measureDoor } from './door-target';
import { measureEstimation } from './estimation-target';
import { measureGrowth } from './growth-target';
import { measureHotBudget } from './hot-budget-target';
import type { BenchOptions } from './measurement';
import { canPin, SERVER_CORE } from './pinned-server';
import { measurePods } from './pods-target';
import { measurePolicyCache } from './policy-cache-target';
import { measureQuietChain } from './quiet-chain-target';
import { measureQuotes } from './quote-target';
import { measureSettlement } from './settlement-target';
import { measureSponsored } from './sponsored-targets';
import { measureReservations } from './reservations-target';
import { proveTwoGateways } from './two-gateways-target';
import { verdictLine, verdictTable, type Verdict } from './verdicts';

/** What can be measured alone, in the order in which all are. */
const PARTS: Readonly<Record<string, (world: BenchWorld, options: BenchOptions) => Promise<void>>> = {
  sponsored: measureSponsored,
  estimation: measureEstimation,
  clients: measureClients,
  door: measureDoor,
  budgets: measureHotBudget,
  gateways: proveTwoGateways,
  pods: measurePods,
  reservations: measureReservations,
  settlement: measureSettlement,
  quiet: measureQuietChain,
  quotes: measureQuotes,
  growth: measureGrowth,
  cache: measurePolicyCache,
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const rounds = Math.max(3, Number(process.env['BENCH_ROUNDS'] ?? 3));
  const seconds = Number(process.env['BENCH_SECONDS'] ?? 6);
  const only = process.env['BENCH_ONLY']?.split(' ');
  const parts = Object.entries(PARTS).filter(([name]) => !only || only.includes(name));
  if (canPin) spawnSync('taskset', ['-acp', `${SERVER_CORE + 1}`, String(process.pid)]);
  else say('taskset is not here: servers and generator share all cores, expect more noise.');
  const nodeArguments = (process.env['BENCH_NODE_ARGUMENTS'] ?? '').split(' ').filter(Boolean);
  const verdicts: Verdict[] = [];
  const judge = (verdict: Verdict): void => {
    verdicts.push(verdict);
    say(verdictLine(verdict));
  };
  const world = await startBenchWorld({ nodeArguments });
  try {
    for (const [name, measure] of parts) {
      const startedAtMs = performance.now();
      await measure(world, { rounds, seconds, say, judge });
      say(`${name} took ${((performance.now() - startedAtMs) / 1_000).toFixed(0)} s`);
    }
  } finally {
    await world.stop();
  }
  say('');
  for (const line of verdictTable(verdicts)) say(line);
  say(`longest stall of this machine itself in a second, ms: ${longestStallMs().toFixed(1)}`);
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

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
