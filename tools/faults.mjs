#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run faults -- [options]

Starts real processes of every app with real servers, lets clients ask for signatures, and breaks one thing after the
other: processes are killed and stopped, servers are ended, networks and RPC providers go bad. Prints a line for each
row of docs/operations/degraded-modes.md, with what was measured and its bound; ends with an error if one is missed.
npm test plays the same rows, with short outages.

  --only ROWS  some rows, for example B11,B19
  --long       outages as long as the rows say: up to half an hour each
  --help       this text
`;

main(async () => {
  const { only, long } = readArguments(HELP, { only: { type: 'string' }, long: { type: 'boolean' } });
  if (only !== undefined && !/^B\d+(,B\d+)*$/.test(only)) {
    process.stderr.write('--only takes rows as in docs/operations/degraded-modes.md, separated by commas: B11,B19\n');
    return 2;
  }
  await bootstrap();
  await build();
  const args = [...(only ? ['--only', only] : []), ...(long ? ['--long'] : [])];
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'apps/faults-e2e/src/main.ts', ...args]);
  return code;
});
