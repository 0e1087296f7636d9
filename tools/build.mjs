#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, mustRun, QUIET_NX } from './lib/run.mjs';
import { step } from './lib/steps.mjs';

const HELP = `Usage: npm run build

Builds every app into dist/apps/<name>. What did not change comes from the cache in .nx.
`;

/** @param {{ quiet?: boolean, targets?: string[] }} [options] */
export async function build({ quiet = false, targets = ['build'] } = {}) {
  const args = ['nx', 'run-many', '-t', ...targets, '--output-style=static'];
  const work = () => mustRun('The build', 'npx', ['--no-install', ...args], { env: QUIET_NX, capture: true });
  await (quiet ? work() : step('build', work));
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  readArguments(HELP);
  main(async () => {
    await bootstrap({ servers: false });
    await build();
  });
}
