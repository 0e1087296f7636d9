#!/usr/bin/env node
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { missingFromLock } from './check-lock.mjs';
import { readArguments } from './lib/arguments.mjs';
import { CommandFailed, main, mustRun, QUIET_NX, ROOT } from './lib/run.mjs';
import { say, step } from './lib/steps.mjs';

const HELP = `Usage: npm run lint

Checks module boundaries and code rules (eslint), formatting (prettier), types (tsc), what a browser loads of the web
page, that no file and no export is unused (knip), that no files and no folders import each other, that no world of
tests sets a bound that has a default, locks, the dashboard's API document (redocly) and that a client generated from it
compiles, that the mutants of tools/mutants.mjs still apply, and that generated files are what their generators make.
\`npm run format\` repairs the formatting.
`;

/** Redocly would report what it is used for, and look for newer versions of itself. */
const SILENT_REDOCLY = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
const ENV = { ...QUIET_NX, ...SILENT_REDOCLY };
const API_DOCUMENT = 'docs/api/dashboard.openapi.json';

const npx = (...args) => mustRun(args[0], 'npx', ['--no-install', ...args], { env: ENV, capture: true });
const node = (...args) => mustRun(args.at(-1), process.execPath, args, { capture: true });

/** Each check: what it is, and the files without which it does not apply (yet). What the others need comes first. */
const PREPARATIONS = [
  ['types of the API document', makeApiTypes, API_DOCUMENT],
  // Without a project graph in the cache eslint's boundary rule says nothing at all.
  ['project graph', () => npx('nx', 'graph', '--file=.nx/graph.json')],
];

/** The lists run at the same time, the checks of a list one after the other. Eslint takes as long as all the others. */
const LISTS = [
  [['eslint', () => npx('eslint', '.', '--max-warnings=0')]],
  [
    ['types', () => npx('tsc', '--noEmit', '-p', 'tsconfig.json')],
    ['prettier', () => npx('prettier', '--check', '.')],
    ['types of the web page', () => npx('tsc', '--noEmit', '-p', 'apps/dashboard-web/tsconfig.json')],
    ['size of the web page', checkWebPage],
    ['unused files and exports', () => npx('knip')],
    ['imports go one way', () => node('tools/check-imports.mjs')],
    ['bounds in worlds of tests', () => node('tools/check-world-bounds.mjs')],
    ['locks', checkLocks],
    ['API document', () => npx('redocly', 'lint', API_DOCUMENT), API_DOCUMENT],
    ['example of a client', () => npx('tsc', '-p', 'docs/examples/tsconfig.json'), API_DOCUMENT],
    ['table of clients', () => node('tools/clients.mjs', '--check')],
    ['mutants apply', () => node('tools/mutants.mjs', '--check'), 'tools/mutants.mjs'],
    [
      'generated contract ABIs',
      () => node('contracts/scripts/compile.mjs', '--check'),
      'contracts/scripts/compile.mjs',
    ],
  ],
];

/** For docs/examples/dashboard-client.ts, and for the local world's client of the dashboard. */
async function makeApiTypes() {
  const types = ['--default-non-nullable', 'false', '--output', '.nx/api-client/dashboard.ts'];
  await npx('openapi-typescript', API_DOCUMENT, ...types);
}

async function checkWebPage() {
  await npx('nx', 'build', 'dashboard-web');
  await node('tools/check-web-page.mjs');
}

async function checkLocks() {
  const locks = [
    'package-lock.json',
    'devnet/bundler/package-lock.json',
    'apps/paymaster-rpc-e2e/clients/package-lock.json',
  ];
  const problems = locks
    .filter((lock) => existsSync(join(ROOT, lock)))
    .flatMap((lock) => missingFromLock(join(ROOT, lock)));
  if (problems.length > 0) throw new CommandFailed(problems.join('\n'));
}

main(async () => {
  readArguments(HELP);
  await bootstrap({ servers: false });
  mkdirSync(join(ROOT, '.nx'), { recursive: true });
  let failed = 0;
  const runList = async (checks) => {
    for (const [name, check, needs] of checks) {
      if (needs && !existsSync(join(ROOT, needs))) continue;
      await step(name, check).catch((error) => {
        failed++;
        say(error instanceof CommandFailed ? error.message : String(error));
      });
    }
  };
  await runList(PREPARATIONS);
  await Promise.all(LISTS.map(runList));
  return failed > 0 ? 1 : 0;
});
