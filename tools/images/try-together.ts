import {
  DashboardClient,
  demonstrateSettlement,
  demonstrateSponsorship,
  freePort,
  seedPaymaster,
  startProcess,
  type RunningProcess,
} from '@paymaster/devnet';
import { output, type Engine } from './engine';
import { APPS, imageOf, readCompose, type App } from './images';
import { startImageWorld, type ImageWorld } from './image-world';

/** The longest a container may take to end before a kubelet or compose kills it, less some air. */
const END_WITHIN_MS = 25_000;
/** What a container may not be able to do, and what the gateway must: sign by the native curve; prints who it is. */
const look = (app: App) => `
const { readFileSync, writeFileSync } = require('fs');
const refusals = ['/app/written', '/tmp/written', '/written'].map((path) => {
  try { writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; }
});
${app === 'paymaster-rpc' ? "require('secp256k1/bindings');" : ''}
const status = readFileSync('/proc/self/status', 'utf8');
const of = (name) => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)[1];
process.stdout.write([process.getuid() + ':' + process.getgid(), ...refusals, of('CapEff'), of('NoNewPrivs')].join(' '));
`;
const LOCKED = '10001:10001 EROFS EROFS EROFS 0000000000000000 1';

interface Trial {
  readonly engine: Engine;
  /** An empty folder. */
  readonly folder: string;
  /** Told what was seen, one line at a time. */
  readonly say: (line: string) => void;
}

interface RunningApp extends RunningProcess {
  readonly url: string;
  readonly monitor: string;
  exec(command: readonly string[]): Promise<string>;
}

/**
 * Runs the images as docker/compose.yaml does: jobs to their end, then the apps together, until each says that it is
 * ready; has operations sponsored, landed and settled by them; and ends them with SIGTERM.
 *
 * @throws at the first of these that does not hold
 */
export async function tryTogether({ engine, folder, say }: Trial): Promise<void> {
  for (const app of APPS) await mustBeLocked(engine, app);
  say(
    `ok    images run as 10001:10001 without capabilities, cannot write their root, and the gateway loads its native module`,
  );
  const world = await startImageWorld(folder);
  await runJobs({ engine, world, say });
  const started = Date.now();
  const apps = new Map<App, RunningApp>();
  for (const app of APPS) apps.set(app, await start(app, { engine, world }));
  say(`ok    ${APPS.join(', ')} are ready (${seconds(started)} s)`);
  await mustServePage(apps.get('dashboard')?.url ?? '');
  say('ok    dashboard serves the page, compressed');
  await signTogether({ apps, world, say });
  for (const [app, running] of [...apps].reverse()) {
    const asked = Date.now();
    await running.stop();
    const how = await running.ended;
    if (how !== 'ended (exit code 0)') throw new Error(`${app} on SIGTERM: ${how} after ${seconds(asked)} s`);
    say(`ok    ${app} ended with code 0 on SIGTERM (${seconds(asked)} s)`);
  }
}

async function mustBeLocked(engine: Engine, app: App): Promise<void> {
  const name = `paymaster-look-${process.pid}`;
  const [command = '', ...args] = await engine.run({ name, image: imageOf(app), command: ['node', '-e', look(app)] });
  const seen = await output(command, args);
  if (seen !== LOCKED) throw new Error(`${app}: user, refusals, capabilities are "${seen}", not "${LOCKED}"`);
}

/** The page is in the image, with what its build compressed. */
async function mustServePage(url: string): Promise<void> {
  const [script] = /assets\/[^"]+\.js/.exec(await (await fetch(url)).text()) ?? [];
  const { status, headers } = await fetch(`${url}/${script}`, { headers: { 'accept-encoding': 'br' } });
  const encoding = headers.get('content-encoding');
  if (status !== 200 || encoding !== 'br')
    throw new Error(`dashboard: ${script} is sent with ${status}, as ${encoding}`);
}

/** What compose runs once, before the apps. */
async function runJobs({
  engine,
  world,
  say,
}: {
  engine: Engine;
  world: ImageWorld;
  say: Trial['say'];
}): Promise<void> {
  const images = APPS.map(imageOf);
  for (const [service, { image = '', command }] of Object.entries(readCompose().services)) {
    if (!/^(migrate|make)-/.test(service) || !images.includes(image)) continue;
    const name = `paymaster-${service}-${process.pid}`;
    const [program = '', ...args] = await engine.run({ name, image, command, ...world.containerOf(service) });
    await output(program, args);
    say(`ok    ${service} ended with code 0`);
  }
}

async function start(app: App, { engine, world }: { engine: Engine; world: ImageWorld }): Promise<RunningApp> {
  const { env, mounts } = world.containerOf(app);
  const port = await freePort();
  // Settlement has one port for all; the others have one more, for probes and metrics.
  const monitor: Record<string, string> = app === 'settlement' ? {} : { MONITOR_PORT: String(await freePort()) };
  const name = `paymaster-${app}-${process.pid}`;
  const own = { ...env, HOST: '127.0.0.1', PORT: String(port), ...monitor };
  const [command = '', ...args] = await engine.run({ name, image: imageOf(app), env: own, mounts });
  const exec = (inside: readonly string[]): Promise<string> => {
    const [program = '', ...rest] = engine.exec(name, inside);
    return output(program, rest);
  };
  const running = await startProcess({
    ...{ name: app, command, args },
    // The question of the image's HEALTHCHECK, and the one that compose waits for.
    ready: {
      probe: () =>
        Promise.all(['live', 'ready'].map((each) => exec(['node', 'healthcheck.mjs', each]))).then(() => true),
    },
    readyTimeoutMs: 180_000,
    stopTimeoutMs: END_WITHIN_MS,
  });
  return {
    ...running,
    url: `http://127.0.0.1:${port}`,
    monitor: `http://127.0.0.1:${monitor['MONITOR_PORT'] ?? port}`,
    exec,
  };
}

/** An owner's first day: an account, a paymaster, an operation of each client that there is, and the bill. */
async function signTogether({
  apps,
  world,
  say,
}: {
  apps: ReadonlyMap<App, RunningApp>;
  world: ImageWorld;
  say: Trial['say'];
}): Promise<void> {
  const url = (app: App): string => apps.get(app)?.url ?? '';
  const created = await apps.get('dashboard')?.exec(['node', 'account.js', 'create', '--name', 'images', '--json']);
  const { authToken } = JSON.parse(created ?? '') as { authToken: string };
  const dashboard = new DashboardClient(url('dashboard'), authToken);
  const paymaster = await seedPaymaster({
    ...{ dashboard, name: 'Images', chainId: world.stack.chainId },
    ...{ demoContract: world.stack.demoContract.address, fundingWallet: world.stack.devKeys.fundingWallet },
  });
  const urls = { paymasterRpc: url('paymaster-rpc'), dashboard: url('dashboard'), settlement: url('settlement') };
  const paymasterRpcMonitor = apps.get('paymaster-rpc')?.monitor ?? '';
  const stack = { ...world.stack, ...urls, paymasterRpcMonitor, authToken, paymaster };
  const landedOnes = await demonstrateSponsorship(stack, say);
  await demonstrateSettlement(stack, { landedOnes, print: say });
  say(`ok    ${landedOnes.length} operations were signed by the images, landed and were settled`);
}

function seconds(started: number): string {
  return ((Date.now() - started) / 1_000).toFixed(1);
}
