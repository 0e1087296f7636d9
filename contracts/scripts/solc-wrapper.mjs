#!/usr/bin/env node
/**
 * Native solc's command line in front of solc-js, as far as forge uses it: `--version`, and standard JSON on stdin.
 * forge downloads native compilers; this keeps the build offline and on the version the lock file pins.
 */
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const args = process.argv.slice(2);

if (args.includes('--version')) {
  // From the package: each forge asks first, and the compiler takes half a second to load.
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${require('solc/package.json').version}`);
  process.exit(0);
}

const valuesOf = (flag) => args.flatMap((arg, index) => (arg === flag ? [args[index + 1]] : []));
const roots = ['', ...valuesOf('--base-path'), ...valuesOf('--include-path')];

function readImport(path) {
  const file = roots.map((root) => join(root, path)).find(existsSync);
  return file ? { contents: readFileSync(file, 'utf8') } : { error: `File not found: ${path}` };
}

const output = Buffer.from(require('solc').compile(readFileSync(0, 'utf8'), { import: readImport }));
for (let offset = 0; offset < output.length;) {
  try {
    offset += writeSync(1, output, offset);
  } catch (error) {
    // The pipe to forge is full: try again.
    if (error.code !== 'EAGAIN') throw error;
  }
}
