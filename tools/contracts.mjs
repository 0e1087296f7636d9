#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

/** The commands, their options and the help are in tools/contracts/command-line.ts. */
main(async () => {
  await bootstrap({ servers: false });
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'tools/contracts/run.ts', ...process.argv.slice(2)], {
    tied: true,
  });
  return code;
});
