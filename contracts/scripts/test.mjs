#!/usr/bin/env node
/**
 * Everything that must hold about the contracts, in one run: generated files, forge tests with the gas snapshot, and
 * the bundler rules on a local chain.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from '../../tools/lib/arguments.mjs';
import { useShippedNode } from '../../tools/lib/run.mjs';
import { requireFoundryTool } from './foundry.mjs';

const contractsRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const HELP = `Usage: node contracts/scripts/test.mjs [--update-gas-snapshot] [--help]

Runs, and ends with "contracts: N passed, M failed":
  1. compile.mjs --check: libs/contract-abis is what the contracts yield
  2. forge test: unit, fuzz and invariant tests on the real EntryPoints; measures equal contracts/snapshots
  3. node --test: a bundler's validation rules, on anvil

  --update-gas-snapshot   write the measures to contracts/snapshots instead of comparing them

Environment:
  FOUNDRY_PROFILE=long    many more fuzz runs and longer invariant sequences (an hour and a half on two cores)
  FOUNDRY_FUZZ_SEED       another seed than the fixed one of foundry.toml
`;

/** Runs a program, shows what it says, and returns it with the exit code. */
function run(command, args, env = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd: contractsRoot, env: { ...process.env, ...env } });
    let output = '';
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      from.on('data', (chunk) => {
        output += chunk;
        to.write(chunk);
      });
    }
    child.on('error', failed);
    child.on('close', (code) => done({ code, output }));
  });
}

/** Sums a counter over all its mentions, 0 when it is never mentioned. */
const sum = (output, pattern) => [...output.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);

const { 'update-gas-snapshot': updateGasSnapshot } = readArguments(HELP, {
  'update-gas-snapshot': { type: 'boolean' },
});
await useShippedNode();
const forge = requireFoundryTool('forge');
requireFoundryTool('anvil');

const total = { passed: 0, failed: 0 };
/** A part that ends badly without naming a failed test still counts as one. */
function count(passed, failed, code) {
  total.passed += passed;
  total.failed += failed === 0 && (code !== 0 || passed === 0) ? 1 : failed;
}

console.log('1/3 generated files');
// All at once: each solc-js spends five seconds of a core on its own code before it is quick. What is built badly fails
// below.
await run(forge, ['build', '--color', 'never']);
const compiled = await run(process.execPath, ['scripts/compile.mjs', '--check']);
count(compiled.code === 0 ? 1 : 0, 0, compiled.code);

console.log('\n2/3 forge');
const fixedSeed = readFileSync(resolve(contractsRoot, 'foundry.toml'), 'utf8').match(/^seed = "(.*)"$/m)[1];
const seed = process.env.FOUNDRY_FUZZ_SEED ?? fixedSeed;
console.log(`fuzz seed: ${seed}, profile: ${process.env.FOUNDRY_PROFILE ?? 'default'}`);
const checked = updateGasSnapshot ? {} : { FORGE_SNAPSHOT_CHECK: 'true' };
const forged = await run(forge, ['test', '--color', 'never'], checked);
count(
  sum(forged.output, /^Suite result: .*? (\d+) passed;/gm),
  sum(forged.output, /^Suite result: .*? (\d+) failed;/gm),
  forged.code,
);

console.log('\n3/3 bundler rules');
const suites = ['test-node/bundler-rules.test.mjs', 'test-node/token-bundler-rules.test.mjs'];
const traced = await run(process.execPath, ['--test', '--test-reporter=spec', ...suites]);
count(sum(traced.output, /^ℹ pass (\d+)/gm), sum(traced.output, /^ℹ fail (\d+)/gm), traced.code);

console.log(`\ncontracts: ${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
