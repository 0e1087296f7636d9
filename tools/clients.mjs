#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';
import { withFreshStack } from './lib/stack.mjs';

/** As `npm run estimates -- --granted` lands them. */
const GRANTED = 3_000;

const HELP = `Usage: npm run clients -- [options]

Makes the table in docs/clients.md from the rows of apps/paymaster-rpc-e2e/src/clients and from what the last run of them
all saw: which operations unmodified clients land through the gateway, and what had to be set.

  --all        play every row with every operation first, in a local world of its own with default settings, and land
               ${GRANTED} operations of all known kinds of account with our own limits; at most an hour; exit 1 when an
               operation did not land
  --only TEXT  with --all: only rows whose text has it; the table stays
  --check      write nothing; exit 1 when the table is not what would be made
  --help       this text
`;

const FOLDER = 'apps/paymaster-rpc-e2e/src/clients';

main(async () => {
  const flag = { type: 'boolean' };
  const { all, only, check } = readArguments(HELP, { all: flag, only: { type: 'string' }, check: flag });
  const failed = all ? await playAll(only) : 0;
  const { code } = await run(process.execPath, [
    ...TYPESCRIPT,
    `${FOLDER}/client-table.ts`,
    ...(check ? ['--check'] : []),
  ]);
  return failed || code;
});

/** @returns 1 when an operation did not land */
async function playAll(only) {
  await bootstrap();
  await build();
  const args = [...TYPESCRIPT, `${FOLDER}/play-matrix.ts`, ...(only ? ['--only', only] : [])];
  const play = async (stackFile) => {
    const { code } = await run(process.execPath, args, { env: { STACK_FILE: stackFile } });
    return { failed: code };
  };
  const { failed } = await withFreshStack(play);
  if (only) return failed;
  const granted = [...TYPESCRIPT, 'tools/estimates/main.ts', '--granted', String(GRANTED)];
  const { code } = await run(process.execPath, granted);
  return failed || code;
}
