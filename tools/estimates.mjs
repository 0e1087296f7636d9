#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run estimates -- [options]

Lands operations of accounts with published code on a local chain, with the gas limits that the gateway measures itself:
first and later operations, calls that fill and clear slots, go deep, carry much data or transfer. Prints for each kind of
account how far the limits are above what the operations take, beside a bundler's limits for the same operations. Ends with
an error when a limit is too low, or when a bound of docs/estimates.md does not hold.

  --operations N  400 by default
  --granted N     instead: lands N operations of every known family as they were granted, three of each account, small and
                  large; ends with an error when one fails
  --write         puts the table into docs/estimates.md
  --help          this text
`;

main(async () => {
  const { operations, granted, write } = readArguments(HELP, {
    operations: { type: 'string' },
    granted: { type: 'string' },
    write: { type: 'boolean' },
  });
  await bootstrap();
  const args = [
    ...(operations ? ['--operations', operations] : []),
    ...(granted ? ['--granted', granted] : []),
    ...(write ? ['--write'] : []),
  ];
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'tools/estimates/main.ts', ...args]);
  return code;
});
