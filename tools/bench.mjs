#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';
import { withFreshStack } from './lib/stack.mjs';

const HELP = `Usage: npm run bench -- [options]

Measures the gateway against the floor server (bare Fastify, one schema, one hash, one signature) in interleaved
rounds, each server alone on one core; the load generator and Postgres, which waits for its disk, on another; 64
connections. Every reply is verified; a wrong one fails the run. A missed target is said, not an error; absolute figures
of a busy machine mean little, ratios of one run do.

  sponsored   #1 throughput without reservations, #2 with them, #4 p99 at 70 % of the maximum load
  estimation  #3 a request with one estimate: of a bundler's stub of 5 ms, and of our own; no call to the node where the gas
              of contract, method and account family is known
  clients     #11 CPU of a stub and its data in ERC-7677, against one sponsored operation
  door        #16 sends and receipts through the gateway, against asking a stub of a bundler directly; sponsored
              requests beside 200 sends a second through a bundler that hangs
  budgets     #7 one hot budget against spread ones
  gateways    #7 exactly N grants of N over two gateways, and none unreserved after one of them was killed: fails the
              run if it does not hold
  pods        #10 how soon a gateway is ready, against a Nest with one route; two gateways on one core against one
  reservations  #13 reservations of three gateways on one Postgres and on two, and what bounds them
  settlement  #14 how fast 100,000 operations are settled, and with how much memory; the blocks come from memory
  quiet       #15 calls of settlement to each of three providers while nothing of ours happens on a chain of 0.25 s blocks;
              an operation, a deposit or a reorganisation that it misses afterwards fails the run
  quotes      #8 CPU of each further token in a fee quote; a call to the chain's node for a quote fails the run
  growth      #5 CPU of requests and policy look-ups with 1,000,000 paymasters against 10, and the plans of all that
              gateway and dashboard ask of Postgres: none may scan a large table. Fills a database first, for minutes
  cache       #6 memory and hit rate of the gateway's policies, with traffic of 100,000 keys by Zipf's law
  page        frames a second, and memory, while a browser scrolls the page's list of 100,000 operations down and up; in a
              local world of its own
  network     the page's overview at 1.6 Mbit/s and 150 ms: when header and overview are there, and what jumps; before it, how
              much a browser loads for each screen. In the same world
  minutes     the first ten minutes: a script signs in as a person does, and runs the code that it copies, with a real npm i;
              clicks and seconds until its operation lands. In the same world

Ends with a table of all targets that were measured; those of the page stand at its own end.

  --only PART   only this part
  --rounds N    interleaved rounds, at least 3 (3)
  --seconds N   length of one measurement (6)
  --help        this text
`;

/** The generator's own pauses would be measured as the servers'. */
const STEADY = ['--expose-gc', '--max-semi-space-size=256'];
/** A browser's; they need a whole local world, and no load generator. The list fills the world, so it comes last. */
const OF_THE_PAGE = { network: 'slow-network.ts', minutes: 'first-minutes.ts', page: 'operation-list.ts' };
/** Its memory is that of the process which measures, so that has the heap of a service. */
const IN_THIS_PROCESS = 'settlement';
const ORDINARY = ['--expose-gc'];
const PARTS =
  'sponsored estimation clients door budgets gateways pods reservations settlement quiet quotes growth cache network minutes page'.split(
    ' ',
  );

main(async () => {
  const { only, ...values } = readArguments(HELP, {
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
  });
  if (only !== undefined && !PARTS.includes(only)) {
    process.stderr.write(`--only must be one of ${PARTS.join(', ')}\n`);
    return 2;
  }
  for (const [name, value] of Object.entries(values)) {
    if (/^[1-9]\d*$/.test(value)) continue;
    process.stderr.write(`--${name} must be a positive number\n`);
    return 2;
  }
  await bootstrap();
  await build({ quiet: true, targets: ['build', 'build-bench'] });
  const parts = PARTS.filter((part) => !only || part === only);
  const measure = async (flags, names) => {
    if (names.length === 0) return 0;
    const args = [...flags, ...TYPESCRIPT, 'apps/paymaster-rpc/bench/run.ts'];
    const env = {
      BENCH_ONLY: names.join(' '),
      BENCH_ROUNDS: values.rounds ?? '3',
      BENCH_SECONDS: values.seconds ?? '6',
    };
    return (await run(process.execPath, args, { tied: true, env })).code;
  };
  const others = await measure(
    STEADY,
    parts.filter((part) => part !== IN_THIS_PROCESS && !(part in OF_THE_PAGE)),
  );
  const alone = () =>
    measure(
      ORDINARY,
      parts.filter((part) => part === IN_THIS_PROCESS),
    );
  return others || (await alone()) || measurePage(parts.filter((part) => part in OF_THE_PAGE));
});

async function measurePage(parts) {
  if (parts.length === 0) return 0;
  if (parts.includes('network')) await run(process.execPath, ['tools/check-web-page.mjs'], { tied: true });
  const { code } = await withFreshStack(async (stackFile) => {
    let worst = { code: 0 };
    for (const part of parts) {
      const args = [...TYPESCRIPT, `apps/dashboard-web-e2e/bench/${OF_THE_PAGE[part]}`];
      const result = await run(process.execPath, args, { tied: true, env: { STACK_FILE: stackFile } });
      if (result.code !== 0) worst = result;
    }
    return { ...worst, failed: worst.code };
  });
  return code;
}
