#!/usr/bin/env node
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run clients -- [options]

Makes the table in docs/clients.md from the rows that apps/paymaster-rpc-e2e/src/clients.spec.ts tests: which clients land
operations through the gateway, unmodified, and what had to be set.

  --check  write nothing; exit 1 when the table is not what would be made
  --help   this text
`;

main(async () => {
  const { check } = readArguments(HELP, { check: { type: 'boolean' } });
  const table = 'apps/paymaster-rpc-e2e/src/clients/client-table.ts';
  const { code } = await run(process.execPath, [...TYPESCRIPT, table, ...(check ? ['--check'] : [])]);
  return code;
});
