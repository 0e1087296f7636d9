#!/usr/bin/env node
/**
 * Says which dependencies a lock names but does not hold. npm drops a platform package that a registry lacks from the
 * lock and later refuses its own lock ("Missing: … from lock file"), on somebody else's machine.
 */
import { readFileSync } from 'node:fs';
import { readArguments } from './lib/arguments.mjs';
import { main } from './lib/run.mjs';

const HELP = `Usage: node tools/check-lock.mjs [--lock FILE]…

Checks that every dependency in a package-lock.json has its entry. Default: the lock of the workspace.
`;

/** @returns {string[]} sentences, one per package with missing dependencies */
export function missingFromLock(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  const problems = [];
  for (const [path, { version, dependencies, optionalDependencies }] of Object.entries(packages)) {
    const missing = Object.keys({ ...optionalDependencies, ...dependencies }).filter(
      (name) => !isHeld(packages, path, name),
    );
    if (missing.length > 0)
      problems.push(`${file}: ${path || 'the root'} ${version ?? ''} misses ${missing.join(', ')}`);
  }
  return problems;
}

/** Node's look-up: beside the package, then in each folder above. */
function isHeld(packages, path, name) {
  for (let from = path; ;) {
    if (packages[`${from ? `${from}/` : ''}node_modules/${name}`]) return true;
    if (!from) return false;
    const parent = from.lastIndexOf('/node_modules/');
    from = parent < 0 ? '' : from.slice(0, parent);
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { lock = ['package-lock.json'] } = readArguments(HELP, { lock: { type: 'string', multiple: true } });
  main(async () => {
    const problems = lock.flatMap(missingFromLock);
    process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
    return problems.length > 0 ? 1 : 0;
  });
}
