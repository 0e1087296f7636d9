#!/usr/bin/env node
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { readArguments } from './lib/arguments.mjs';
import { runJest } from './lib/jest.mjs';
import { notDoneWithin } from './lib/overdue.mjs';
import { CommandFailed, main, ROOT, run } from './lib/run.mjs';
import { say } from './lib/steps.mjs';
import { withFreshStack } from './lib/stack.mjs';

const HELP = `Usage: npm test [-- --only PART]

Runs every test there is and ends with the line "N passed, M failed".

  contracts    Solidity: unit, fuzz, invariants, accounting (forge)
  unit         *.spec.ts: no input or output
  integration  *.integration.spec.ts: real Postgres, NATS and chain; *.alone.integration.spec.ts measure time, and so
               run when nothing else does
  e2e          over the wire against a whole local world of its own, on free ports, in a temporary folder

  --only PART  only this part
  --help       this text
`;

const INTEGRATION = '\\.integration\\.spec\\.ts$';
const ALONE = `\\.alone${INTEGRATION}`;
const E2E_PROJECTS = readdirSync(join(ROOT, 'apps')).filter(
  (folder) => folder.endsWith('-e2e') && existsSync(join(ROOT, 'apps', folder, 'jest.config.cts')),
);
const NOT_E2E = E2E_PROJECTS.length > 0 ? ['--ignoreProjects', ...E2E_PROJECTS] : [];

/** More of them than run at once, so that a core which is done early takes the next. */
const INTEGRATION_SHARDS = 12;

/** The longest a part may take, so that no test can keep a run from ending; seconds. What it leaves the next may use. */
const WITHIN = { contracts: 15 * 60, unit: 8 * 60, integration: 36 * 60, e2e: 24 * 60 };

/** Each part runs its tests, within so many seconds, and returns how many passed and failed. */
const PARTS = {
  contracts: testContracts,
  unit: (within) => runJest('unit', [...NOT_E2E, '--testPathIgnorePatterns', INTEGRATION], { within }),
  integration: testIntegration,
  e2e: testEndToEnd,
};

main(async () => {
  const { only } = readArguments(HELP, { only: { type: 'string' } });
  if (only !== undefined && !(only in PARTS)) {
    process.stderr.write(`--only must be one of ${Object.keys(PARTS).join(', ')}\n`);
    return 2;
  }
  await bootstrap();
  const counts = [];
  let spare = 0;
  for (const part of only ? [only] : Object.keys(PARTS)) {
    say(`\n== ${part}`);
    const started = performance.now();
    const count = await PARTS[part](WITHIN[part] + spare).catch(asFailure);
    const seconds = (performance.now() - started) / 1_000;
    say(`${part}: ${count.passed} passed, ${count.failed} failed in ${Math.round(seconds)} s`);
    counts.push(count);
    spare = Math.max(0, WITHIN[part] + spare - seconds);
  }
  const { passed, failed } = sumOf(counts);
  say(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});

/** The contracts' own runner ends with the line "contracts: N passed, M failed". */
async function testContracts(within) {
  const { code, output, overdue } = await run(process.execPath, ['contracts/scripts/test.mjs'], {
    capture: true,
    show: true,
    overdue: notDoneWithin(within),
  });
  if (overdue !== undefined) throw new CommandFailed(`The contract tests were ended: ${overdue}.`);
  const [, passed, failed] = /contracts: (\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  if (passed === undefined) throw new CommandFailed('The contract tests ended without a count.');
  return { passed: Number(passed), failed: code === 0 ? Number(failed) : Math.max(1, Number(failed)) };
}

/**
 * Runs as many Jests at once as there are cores. Each runs in band, because only there Jest sees what a test leaves
 * running. A process keeps some 25 MB of each test file that it ran: all files together took 4 GB, where Node gives up.
 */
async function testIntegration(within) {
  const endsAtMs = performance.now() + within * 1_000;
  const counts = [];
  const runOne = async (name, args) => {
    const left = Math.max(1, (endsAtMs - performance.now()) / 1_000);
    const jest = runJest(name, ['--runInBand', ...args], { within: left, together: true });
    counts.push(await jest.catch(asFailure));
  };
  let shard = 0;
  const runShards = async () => {
    while (shard < INTEGRATION_SHARDS) {
      const name = `integration ${++shard} of ${INTEGRATION_SHARDS}`;
      const files = ['--testPathPatterns', INTEGRATION, '--testPathIgnorePatterns', ALONE, ...NOT_E2E];
      await runOne(name, [`--shard=${shard}/${INTEGRATION_SHARDS}`, ...files]);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runShards));
  await runOne('integration, alone', ['--testPathPatterns', ALONE, ...NOT_E2E]);
  return sumOf(counts);
}

/** The demonstration counts as one test: the stack does not come up for the others unless it went well. */
async function testEndToEnd(within) {
  await build();
  return withFreshStack(async (stackFile) => {
    const args = ['--runInBand', '--selectProjects', ...E2E_PROJECTS];
    const { passed, failed } = await runJest('e2e', args, { within, env: { STACK_FILE: stackFile } });
    return { passed: passed + 1, failed };
  });
}

/** @returns how many passed and failed in all of them */
function sumOf(counts) {
  const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

function asFailure(error) {
  say(error instanceof CommandFailed ? error.message : String(error?.stack ?? error));
  return { passed: 0, failed: 1 };
}
