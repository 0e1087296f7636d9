#!/usr/bin/env node
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readArguments } from './lib/arguments.mjs';
import { CommandFailed, main, ROOT } from './lib/run.mjs';
import { say } from './lib/steps.mjs';

const HELP = `Usage: npm run reset

Drops the data of the local world (.local): database, streams, chain, keys, logs. The next start begins afresh.
`;

main(async () => {
  readArguments(HELP);
  const folder = join(ROOT, '.local');
  const lock = join(folder, 'stack.pid');
  if (existsSync(lock) && isRunning(Number(readFileSync(lock, 'utf8')))) {
    throw new CommandFailed('The local world is running: stop it first (Ctrl-C).');
  }
  // Where root's Postgres could not enter the checkout, its cluster is elsewhere; see devnet's postgres-home.ts.
  const note = join(folder, 'postgres', 'location');
  const elsewhere = existsSync(note) ? readFileSync(note, 'utf8') : '';
  if (dirname(elsewhere) === tmpdir() && basename(elsewhere).startsWith('paymaster-postgres-')) {
    rmSync(elsewhere, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
  say('The local world is empty.');
});

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    const commandLine = `/proc/${pid}/cmdline`;
    return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('node');
  } catch {
    return false;
  }
}
