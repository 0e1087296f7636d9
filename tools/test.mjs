#!/usr/bin/env node
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { readArguments } from './lib/arguments.mjs';
import { runJest } from './lib/jest.mjs';
import { notDoneWithin } from './lib/overdue.mjs';
import { CommandFailed, isEnding, main, ROOT, run } from './lib/run.mjs';
import { say } from './lib/steps.mjs';
import { withPostgres } from './lib/postgres.mjs';
import { withFreshStack } from './lib/stack.mjs';
import { withTemporaryFiles } from './lib/temporary-files.mjs';

/** So many Jests share the world of e2e at a time; there are more, so that the next starts when one is done early. */
const E2E_AT_ONCE = 3;
const E2E_SHARDS = 12;

const HELP = `Usage: npm test [-- --only PART]

Runs every test there is and ends with the line "N passed, M failed".

  contracts    Solidity: unit, fuzz, invariants, accounting (forge)
  unit         *.spec.ts: no input or output
  integration  *.integration.spec.ts: real Postgres, NATS and chain
  e2e          over the wire against a whole local world of its own, on free ports, in a temporary folder
  faults       apps/faults-e2e: two worlds of their own, in which parts fail while clients ask
  alone        what measures time: *.alone.integration.spec.ts

  --only PART  only this part
  --help       this text

Faults and alone measure time, so they come first, one after the other. Contracts and unit, which only compute, take of the
processor what all others leave. E2e waits for the blocks of its world, so integration runs beside it.
Files of e2e share the world ${E2E_AT_ONCE} at a time; *.alone.spec.ts, which disturb the world, have it to themselves at the end.
`;

const INTEGRATION = '\\.integration\\.spec\\.ts$';
const ALONE = `\\.alone${INTEGRATION}`;
/** Of e2e: stops parts of the world, or changes what others count on. */
const DISTURBS = '\\.alone\\.spec\\.ts$';
const E2E_PROJECTS = readdirSync(join(ROOT, 'apps')).filter(
  (folder) => folder.endsWith('-e2e') && existsSync(join(ROOT, 'apps', folder, 'jest.config.cts')),
);
/** Brings up worlds of its own, and measures how long clients wait while parts of them fail. */
const FAULTS = 'faults-e2e';
/** The file of one of its two worlds. */
const FAULTS_OF_SERVICES = 'faults-e2e/src/services\\.spec\\.ts$';
const NOT_E2E = E2E_PROJECTS.length > 0 ? ['--ignoreProjects', ...E2E_PROJECTS] : [];

/**
 * More Jests than run at once, so that a core which is done early takes the next. Each loads and compiles all anew, which
 * takes some three seconds of a core. One more at once than there are cores, because they wait a third of their time.
 */
const INTEGRATION_SHARDS = 8;
const INTEGRATION_AT_ONCE = availableParallelism() + 1;

/** A second build would put every file into place again, while the worlds of another part start programs from there. */
let built;
const buildOnce = () => (built ??= build());

/**
 * Each part runs its tests, at most `within` seconds, and returns how many passed and failed, and the names of what failed. No test can keep a run
 * from ending; what a part leaves of its time the next may use.
 */
const PARTS = {
  contracts: { within: 50 * 60, run: testContracts },
  unit: {
    within: 50 * 60,
    run: (within) => {
      const args = ['--runInBand', ...NOT_E2E, '--testPathIgnorePatterns', INTEGRATION];
      return runJest('unit', args, { within, together: true, gentle: true });
    },
  },
  integration: { within: 50 * 60, run: testIntegration },
  e2e: { within: 50 * 60, run: testEndToEnd },
  faults: { within: 20 * 60, run: testFaults },
  alone: {
    within: 20 * 60,
    run: (within) =>
      runJest('alone', ['--runInBand', '--testPathPatterns', ALONE, ...NOT_E2E], { within, together: true }),
  },
};

main(async () => {
  const { only } = readArguments(HELP, { only: { type: 'string' } });
  if (only !== undefined && !(only in PARTS)) {
    process.stderr.write(`--only must be one of ${Object.keys(PARTS).join(', ')}\n`);
    return 2;
  }
  await bootstrap();
  const { passed, failed, names } = await withTemporaryFiles(async () =>
    sumOf(await (only ? runParts([only]) : runAll())),
  );
  if (names.length > 0) say(`\nFailed:\n${names.map((name) => `  ${name}`).join('\n')}`);
  say(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});

async function runAll() {
  const computed = runParts(['contracts', 'unit']);
  const measured = await runParts(['faults', 'alone']);
  const [ofTheWorld, ofServices] = await Promise.all([runParts(['e2e']), runParts(['integration'])]);
  return [...measured, ...ofTheWorld, ...ofServices, ...(await computed)];
}

async function runParts(parts) {
  const counts = [];
  let spare = 0;
  for (const part of parts) {
    const within = spare + PARTS[part].within;
    const started = performance.now();
    counts.push(await runPart(part, within));
    spare = Math.max(0, within - secondsSince(started));
  }
  return counts;
}

async function runPart(part, within) {
  if (isEnding()) return { passed: 0, failed: 1, names: [`${part} was not run`] };
  say(`\n== ${part}`);
  const started = performance.now();
  const count = await PARTS[part].run(within).catch(asFailure);
  say(`${part}: ${count.passed} passed, ${count.failed} failed in ${Math.round(secondsSince(started))} s`);
  return count;
}

function secondsSince(started) {
  return (performance.now() - started) / 1_000;
}

/** The contracts' own runner ends with the line "contracts: N passed, M failed". */
async function testContracts(within) {
  const { code, output, overdue } = await run(process.execPath, ['contracts/scripts/test.mjs'], {
    capture: true,
    show: true,
    gentle: true,
    overdue: notDoneWithin(within),
  });
  if (overdue !== undefined) throw new CommandFailed(`The contract tests were ended: ${overdue}.`);
  const [, passed, failed] = /contracts: (\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  if (passed === undefined) throw new CommandFailed('The contract tests ended without a count.');
  const count = { passed: Number(passed), failed: code === 0 ? Number(failed) : Math.max(1, Number(failed)) };
  return { ...count, names: count.failed > 0 ? ['contracts: see above'] : [] };
}

/**
 * Each Jest runs in band, because only there Jest sees what a test leaves running. A process keeps some 25 MB of each
 * test file that it ran: all files together took 4 GB, where Node gives up.
 */
function testIntegration(within) {
  return withPostgres((env) => runIntegration(within, env));
}

function runIntegration(within, env) {
  const left = countDown(within);
  return inShards({ shards: INTEGRATION_SHARDS, atOnce: INTEGRATION_AT_ONCE }, (shard) => {
    const files = ['--testPathPatterns', INTEGRATION, '--testPathIgnorePatterns', ALONE, ...NOT_E2E];
    const args = ['--runInBand', `--shard=${shard}`, ...files];
    return runJest(`integration ${shard}`, args, { within: left(), env, together: true });
  });
}

/**
 * Runs each shard, named as Jest wants it, so many at once. With more at once, all together take more of the processor:
 * six that compute on two cores take a fifth more than three.
 *
 * @returns the sum of their counts
 */
async function inShards({ shards, atOnce }, runShard) {
  const counts = [];
  let taken = 0;
  const takeShards = async () => {
    while (taken < shards && !isEnding()) counts.push(await runShard(`${++taken}/${shards}`).catch(asFailure));
  };
  await Promise.all(Array.from({ length: atOnce }, takeShards));
  return sumOf(counts);
}

/** @returns how many of the seconds are left when it is asked, at least one */
function countDown(seconds) {
  const started = performance.now();
  return () => Math.max(1, seconds - secondsSince(started));
}

/**
 * The demonstration counts as one test: the stack does not come up for the others unless it went well. So does that of
 * the second start.
 */
async function testEndToEnd(within) {
  await buildOnce();
  const left = countDown(within);
  const useStack = async (stackFile) => {
    const projects = ['--selectProjects', ...E2E_PROJECTS.filter((project) => project !== FAULTS)];
    const inTheWorld = (name, args) => {
      const options = { within: left(), env: { STACK_FILE: stackFile }, together: true };
      return runJest(name, ['--runInBand', ...args, ...projects], options);
    };
    const together = await inShards({ shards: E2E_SHARDS, atOnce: E2E_AT_ONCE }, (shard) =>
      inTheWorld(`e2e ${shard}`, [`--shard=${shard}`, '--testPathIgnorePatterns', DISTURBS]),
    );
    const alone = await inTheWorld('e2e, alone', ['--testPathPatterns', DISTURBS]).catch(asFailure);
    return sumOf([{ passed: 1, failed: 0 }, together, alone]);
  };
  return withFreshStack(useStack, { again: true });
}

/**
 * Side by side: each world asks for some ten signatures a second, and then waits for what fails to come back. Each row
 * lets its world calm down first, and measures once more where the machine was too slow.
 */
async function testFaults(within) {
  await buildOnce();
  const left = countDown(within);
  const playWorld = (name, args) =>
    runJest(name, ['--runInBand', ...args, '--selectProjects', FAULTS], { within: left(), together: true });
  const worlds = [
    playWorld('faults of services', ['--testPathPatterns', FAULTS_OF_SERVICES]),
    playWorld('faults of what services use', ['--testPathIgnorePatterns', FAULTS_OF_SERVICES]),
  ];
  return sumOf(await Promise.all(worlds.map((world) => world.catch(asFailure))));
}

/** @returns how many passed and failed in all of them, and the names of what failed */
function sumOf(counts) {
  const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), names: counts.flatMap(({ names = [] }) => names) };
}

function asFailure(error) {
  const message = error instanceof CommandFailed ? error.message : String(error?.stack ?? error);
  say(message);
  return { passed: 0, failed: 1, names: [message] };
}
