#!/usr/bin/env node
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { CommandFailed, main, mustRun, QUIET_NX, ROOT } from './lib/run.mjs';
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

/** What an app needs when it starts is in its package.json: an image has no packages of development. */
function assertPackagesNamed() {
  const apps = join(ROOT, 'dist/apps');
  for (const app of readdirSync(apps)) {
    const [bundle, list] = ['main.js', 'package.json'].map((file) => join(apps, app, file));
    if (!existsSync(bundle)) continue;
    const { dependencies } = JSON.parse(readFileSync(list, 'utf8'));
    const needed = [...readFileSync(bundle, 'utf8').matchAll(/^module\.exports = require\("([^"]+)"\);$/gm)];
    const packages = needed.map(([, name]) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
    // tslib comes with Nest.
    const missing = packages.filter((name) => !isBuiltin(name) && name !== 'tslib' && !(name in dependencies));
    if (missing.length > 0) throw new CommandFailed(`${app} needs ${missing}, which is no dependency of package.json.`);
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  readArguments(HELP);
  main(async () => {
    await bootstrap({ servers: false });
    await build();
    await step('packages that the apps need', assertPackagesNamed);
  });
}
