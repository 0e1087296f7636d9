#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run walk [-- --readme]

Walks through docs/operations/install.md as a newcomer would: runs its \`sh\` blocks literally and in order, in one shell,
against a Postgres, a NATS, a chain with EntryPoints and a bundler of its own. Ends with a landed operation, or with
the block that failed.

  --readme     walks through README.md instead, against the local world that runs (npm start, or STACK_FILE)
  --help       this text
`;

main(async () => {
  const { readme } = readArguments(HELP, { readme: { type: 'boolean' } });
  await bootstrap();
  const page = readme ? ['--readme'] : [];
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'tools/walk/run.ts', ...page], { tied: true });
  return code;
});
