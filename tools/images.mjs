#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run images -- [options]

Builds the images of dashboard, settlement and paymaster-rpc with docker, podman or buildah, whichever is there first, and
looks for files in them that have no place in an image. Then it runs them together, as docker/compose.yaml says: with a
read-only root, without privileges, against a real Postgres, NATS, chain and bundler. They must migrate, become healthy,
sponsor two operations, settle them, and end with code 0 on SIGTERM. The images keep the names that compose.yaml gives
them. Takes about ten minutes, where nothing else is running.

  --engine NAME   docker, podman or buildah
  --local-base    where no image registry answers: makes the base image of Debian packages and of the Node that npm has
                  (buildah and mmdebstrap, as root). Never publish what was built on it.
  --build-only    does not run them (they run on Linux only, for they share the network of this machine)
  --help          this text
`;

main(async () => {
  const options = readArguments(HELP, {
    engine: { type: 'string' },
    'local-base': { type: 'boolean' },
    'build-only': { type: 'boolean' },
  });
  await bootstrap({ servers: !options['build-only'] });
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'tools/images/main.ts', JSON.stringify(options)]);
  return code;
});
