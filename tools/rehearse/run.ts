/** The command behind `npm run rehearse`; tools/rehearse.mjs builds the apps and hands its arguments on. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DashboardClient, DEV_KEYS, seedPaymaster, stopAllProcesses } from '@paymaster/devnet';
import { renderOverlay, type OverlayName } from '../deployment/render';
import { Load, type LoadRequest } from './load';
import { Platform } from './platform';
import type { Rehearsal } from './rehearsal';
import { verdictTable, type Verdict } from './report';
import { restRequests } from './rest-requests';
import { books } from './scenes/books';
import { kill } from './scenes/kill';
import { pause } from './scenes/pause';
import { rollingUpdate } from './scenes/rolling-update';
import { steady } from './scenes/steady';
import { sponsoredRequests, type SponsoredRequest } from './sponsored-requests';
import { startWorld, type World } from './world';

/** In this order; the books are looked at in the end, whatever was played. */
const SCENES: Readonly<Record<string, (rehearsal: Rehearsal) => Promise<void>>> = {
  steady,
  update: rollingUpdate,
  kill,
  pause,
};
const PAYMASTERS = ['One', 'Two', 'Three', 'Four'];
const UNCAPPED = {
  maxLiveSignaturesPerClient: 1_000_000,
  maxLiveSignaturesTotal: 1_000_000,
  clientSharePercent: 100,
  spendingBrake: false,
};
/** What a client waits for an answer: as long as the whole of a request may take; milliseconds. */
const PATIENCE_MS = 5_000;
const REST_PER_SECOND = 5;
/** From the deposit's block until the ledger knows of it. */
const WARM_UP_MS = 60_000;

const startedAtMs = performance.now();
const say = (line: string): void =>
  void process.stdout.write(`${((performance.now() - startedAtMs) / 1_000).toFixed(1).padStart(6)}  ${line}\n`);

async function main(): Promise<number> {
  const only = process.env['REHEARSE_ONLY'];
  const perSecond = Number(process.env['REHEARSE_RATE'] ?? 200);
  const objects = renderOverlay((process.env['REHEARSE_OVERLAY'] ?? 'prod') as OverlayName);
  const verdicts: Verdict[] = [];
  const world = await startWorld(objects);
  let platform: Platform | undefined;
  let isDone = false;
  try {
    say('Postgres, NATS and a chain with our contract are up');
    platform = await Platform.start(objects, { world, event: (line) => say(`  ${line}`) });
    const loads = await startLoads({ world, platform, perSecond });
    const judge = (verdict: Verdict): void => {
      verdicts.push(verdict);
      say(`${verdict.met ? 'ok    ' : 'MISSED'} ${verdict.what}: ${verdict.measured}, bound ${verdict.bound}`);
    };
    const rehearsal: Rehearsal = { world, platform, ...loads, say, judge };
    for (const [name, play] of Object.entries(SCENES)) {
      if (only !== undefined && name !== only) continue;
      say(`scene: ${name}`);
      await play(rehearsal);
    }
    await Promise.all([loads.load.stop(), loads.restLoad.stop()]);
    say('scene: books');
    await books(rehearsal);
    isDone = verdicts.every(({ met }) => met);
  } finally {
    await (platform?.stop() ?? stopAllProcesses());
    await world.stop();
    if (isDone) rmSync(world.folder, { recursive: true, force: true });
    else say(`what the processes wrote is in ${world.folder}`);
  }
  for (const line of ['', ...verdictTable(verdicts)]) process.stdout.write(`${line}\n`);
  const missed = verdicts.filter(({ met }) => !met).length;
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
  process.stdout.write(`\n${verdicts.length} bounds, ${missed} missed; ${seconds} s\n`);
  return missed > 0 ? 1 : 0;
}

/** Registers paymasters the way an owner does, and sends operations to them and REST to the dashboard from then on. */
async function startLoads({
  world,
  platform,
  perSecond,
}: {
  world: World;
  platform: Platform;
  perSecond: number;
}): Promise<{ load: Load<SponsoredRequest>; restLoad: Load<LoadRequest> }> {
  const authToken = await world.createAccount();
  const dashboard = new DashboardClient(`http://127.0.0.1:${platform.dashboard.port}`, authToken);
  const apiKeys: string[] = [];
  for (const name of PAYMASTERS) {
    const { chainId, demo } = world;
    const wish = { dashboard, name, chainId, demoContract: demo.address, fundingWallet: DEV_KEYS.fundingWallet };
    const { apiKey } = await seedPaymaster(wish);
    await dashboard.changeSettings(apiKey, UNCAPPED);
    apiKeys.push(apiKey);
  }
  const next = await sponsoredRequests(world, apiKeys);
  const shared = { patienceMs: PATIENCE_MS, newEach: 4 };
  const warmUp = { ...shared, next, port: platform.gateway.port, perSecond: 20, connections: 4 };
  for (const endsAtMs = performance.now() + WARM_UP_MS; ;) {
    const few = new Load(warmUp);
    few.start();
    await sleep(1_000);
    await few.stop();
    const failed = few.outcomes.find(({ failure }) => failure !== undefined);
    if (!failed) break;
    if (performance.now() > endsAtMs) throw new Error(`no operation is sponsored: ${failed.failure}`);
  }
  const load = new Load({ ...shared, next, port: platform.gateway.port, perSecond, connections: 40 });
  const rest = restRequests(authToken, PAYMASTERS);
  const restLoad = new Load({
    ...{ ...shared, next: rest, port: platform.dashboard.port },
    ...{ perSecond: REST_PER_SECOND, connections: 4 },
  });
  load.start();
  restLoad.start();
  say(`${perSecond} sponsored operations and ${REST_PER_SECOND} REST requests a second from now on`);
  return { load, restLoad };
}

let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) {
  process.on(signal, () => {
    if (interrupted) process.exit(130);
    interrupted = true;
    void stopAllProcesses().finally(() => process.exit(130));
  });
}

main().then(
  (code) => process.exit(code),
  async (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    await stopAllProcesses();
    process.exit(1);
  },
);
