#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { main, ROOT, run } from './lib/run.mjs';
import { say } from './lib/steps.mjs';

const HELP = `Usage: npm run account -- create (--name NAME | --account-id ID) | list | revoke TOKEN_ID
       npm run account -- sign-in-code (--account NAME | --account-id ID) [--person NAME | --person-id ID]
                          [--role ROLE] [--operator]
       npm run account -- operators | revoke-operator PERSON_ID

Makes, lists and revokes the dashboard's auth tokens, makes codes with which people sign in to its page, and lists and
revokes operators of the installation, in the database that DATABASE_URL names, else in the one of the running local world. PUBLIC_URL is the address of the page, for
the link. --json gives machine-readable output; \`npm run account -- help\` has the command's own words.
`;

main(async () => {
  const args = process.argv.slice(2);
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) {
    process.stdout.write(HELP);
    return args.length === 0 ? 2 : 0;
  }
  await bootstrap({ servers: false });
  await build({ quiet: true });
  const stackFile = process.env['STACK_FILE'] ?? join(ROOT, '.local/stack.json');
  const env = process.env['DATABASE_URL'] ? {} : localWorld(stackFile);
  const command = args[0] === 'help' ? ['--help'] : args;
  const { code } = await run(process.execPath, [join(ROOT, 'dist/apps/dashboard/account.js'), ...command], { env });
  if (code !== 0 && !process.env['DATABASE_URL']) say('DATABASE_URL is not set: does the local world run (npm start)?');
  return code;
});

/** The database of the running local world, and the address of its page. */
function localWorld(stackFile) {
  if (!existsSync(stackFile)) return {};
  const { databaseUrl, dashboard } = JSON.parse(readFileSync(stackFile, 'utf8'));
  return { DATABASE_URL: databaseUrl, PUBLIC_URL: process.env['PUBLIC_URL'] || dashboard };
}
