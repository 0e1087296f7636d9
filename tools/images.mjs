#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run images -- [options]

Proves that the images start, without a container engine: runs the stages of each Dockerfile as plain commands in an
empty folder (install, build, production packages), then starts the result as the image's user, in a folder it cannot
write, with the environment of docker/compose.yaml, against a real Postgres and a real NATS. Each must migrate, pass its
own healthcheck, and end with code 0 on SIGTERM. As root it runs as the user of the image; as anybody else, as you.
Takes five to fifteen minutes, most of it for packages and builds, and 3 GB of the temporary folder.

  --only APP   dashboard, settlement or paymaster-rpc
  --help       this text
`;

const APPS = ['dashboard', 'settlement', 'paymaster-rpc'];

main(async () => {
  const { only } = readArguments(HELP, { only: { type: 'string' } });
  if (only !== undefined && !APPS.includes(only)) {
    process.stderr.write(`--only must be one of ${APPS.join(', ')}\n`);
    return 2;
  }
  await bootstrap();
  const args = [...TYPESCRIPT, 'tools/images/main.ts', ...(only ? ['--only', only] : [])];
  const { code } = await run(process.execPath, args);
  return code;
});
