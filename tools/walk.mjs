#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run walk

Walks through docs/operations/install.md as a newcomer would: runs its \`sh\` blocks literally and in order, in one shell,
against a Postgres, a NATS, a chain with EntryPoints and a bundler of its own. Ends with a landed operation, or with
the block that failed.

  --help       this text
`;

main(async () => {
  readArguments(HELP);
  await bootstrap();
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'tools/walk/run.ts'], { tied: true });
  return code;
});
