#!/usr/bin/env node
import { resolve } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';
import { withFreshStack } from './lib/stack.mjs';

const HELP = `Usage: npm run pictures -- [options]

Starts the local world, lets people and apps use it, and photographs every screen of its page: at 360, 768, 1280 and
1920 px, in light and dark, also dialogs and screens where nothing is yet. Look at them after a change to the page:
nothing may be cut off, overlap or break in the middle.

  --out DIR      a folder for each screen with a PNG for each width and scheme; dist/pictures when absent
  --docs         replaces the pictures of docs/images instead
  --only LIST    only these screens, such as overview,policies (apps/dashboard-web-e2e/src/pictures/shots.ts)
  --widths LIST  only these widths, such as 390,1280
  --help         this text

With STACK_FILE it uses the world that runs there.
`;

main(async () => {
  const {
    out = 'dist/pictures',
    docs,
    only,
    widths,
  } = readArguments(HELP, {
    out: { type: 'string' },
    docs: { type: 'boolean' },
    only: { type: 'string' },
    widths: { type: 'string' },
  });
  const args = [
    ...(docs ? ['--docs'] : ['--out', resolve(out)]),
    ...(only ? ['--only', only] : []),
    ...(widths ? ['--widths', widths] : []),
  ];
  const photograph = (stackFile) =>
    run(process.execPath, [...TYPESCRIPT, 'apps/dashboard-web-e2e/src/pictures/main.ts', ...args], {
      env: { STACK_FILE: stackFile },
    });
  const running = process.env['STACK_FILE'];
  if (running) return (await photograph(running)).code;
  await bootstrap();
  await build();
  let code = 1;
  await withFreshStack(
    async (stackFile) => {
      ({ code } = await photograph(stackFile));
      return { failed: code };
    },
    { chainOptions: {} },
  );
  return code;
});
