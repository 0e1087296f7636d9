#!/usr/bin/env node
import { bootstrap } from './bootstrap.mjs';
import { build } from './build.mjs';
import { readArguments } from './lib/arguments.mjs';
import { main, run, TYPESCRIPT } from './lib/run.mjs';

const HELP = `Usage: npm run rehearse -- [options]

Runs what k8s/overlays/prod would run, as processes of this machine, the way a kubelet does: the migration jobs, then
gateways, dashboards and settlements with their containers' commands, environment and probes, a Service with a balancer
before each, and sponsored operations at a constant rate all the while. Every answer's signature is checked.

  steady   3 gateways and 2 dashboards: no request fails
  update   a rolling update of both: no request fails, no pod takes 25 s to end
  kill     SIGKILL of one of each: only what was in flight on them is lost, both are back within 10 s, and what was lost
           can be asked for again with the same reservation
  pause    SIGSTOP of a gateway for 30 s: nothing fails that is sent 10 s later, and nothing is signed too late

Then the books: every signature reserved once, within every limit. Ends with a table of what was measured against its
bounds, and with exit code 1 when one is missed. What differs from a cluster stands in tools/rehearse/differences.ts.

  --only SCENE    only this scene, and the books
  --rate N        sponsored operations a second (200)
  --overlay NAME  prod or dev (prod)
  --no-build      the apps as they are in dist/apps
  --help          this text
`;

const SCENES = ['steady', 'update', 'kill', 'pause'];

main(async () => {
  const values = readArguments(HELP, {
    only: { type: 'string' },
    rate: { type: 'string', default: '200' },
    overlay: { type: 'string', default: 'prod' },
    'no-build': { type: 'boolean', default: false },
  });
  const { only, rate, overlay } = values;
  const problem =
    (only !== undefined && !SCENES.includes(only) && `--only must be one of ${SCENES.join(', ')}`) ||
    (!/^[1-9]\d{0,3}$/.test(rate) && '--rate must be a number from 1 to 9999') ||
    (!['prod', 'dev'].includes(overlay) && '--overlay must be prod or dev');
  if (problem) {
    process.stderr.write(`${problem}\n`);
    return 2;
  }
  await bootstrap();
  if (!values['no-build']) await build({ quiet: true });
  const { code } = await run(process.execPath, [...TYPESCRIPT, 'tools/rehearse/run.ts'], {
    tied: true,
    env: { ...(only && { REHEARSE_ONLY: only }), REHEARSE_RATE: rate, REHEARSE_OVERLAY: overlay },
  });
  return code;
});
