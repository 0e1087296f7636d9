#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm start -- [options]

Starts the local world (Postgres, NATS, a chain with the canonical EntryPoints, tokens and price feeds, a price API, a
bundler, our contracts and services), sends operations on EntryPoint v0.6 and v0.7 that are sponsored and others that
are paid in tokens, shows one that a limit refuses and who paid what in the end, and stays up until Ctrl-C.
Everything there is to know of it is in .local/stack.json. Data is used again next time; npm run reset drops it.

  --once          end after the demonstration; the exit code says how it went
  --no-demo       leave the demonstration out
  --quiet         show the demonstration and errors only
  --port-base N   wanted ports count up from N (4300); a taken one is replaced by a free one
  --data-dir DIR  keep everything in DIR instead of .local
  --help          this text

DATABASE_URL, NATS_URL, CHAIN_RPC_URL and BUNDLER_URL each replace a part with one that runs already;
NATS_SERVER_BIN names a nats-server.
`;

main(async () => {
  const values = readArguments(HELP, {
    once: { type: 'boolean' },
    'no-demo': { type: 'boolean' },
    quiet: { type: 'boolean' },
    'port-base': { type: 'string' },
    'data-dir': { type: 'string' },
  });
  const base = values['port-base'];
  if (base !== undefined && !(/^\d+$/.test(base) && Number(base) >= 1 && Number(base) <= 65_500)) {
    process.stderr.write('--port-base must be a number from 1 to 65500\n');
    return 2;
  }
  await bootstrap();
  await build({ quiet: values.quiet });
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'devnet/src/main.ts', ...process.argv.slice(2)], {
    tied: true,
  });
  return code;
});
