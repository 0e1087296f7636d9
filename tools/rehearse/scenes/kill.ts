import { setTimeout as sleep } from 'node:timers/promises';
import type { Balancer } from '../balancer';
import { ClientConnection } from '../client-connection';
import { reservationsOf } from '../ledger-books';
import type { Load, LoadRequest } from '../load';
import type { Pod } from '../pod';
import { failureLines, failuresOf, outcomesBetween, type Rehearsal } from '../rehearsal';
import { tally } from '../report';
import type { SponsoredRequest } from '../sponsored-requests';

const SCENE = 'kill';
const RECOVERED_WITHIN_SECONDS = 10;
const AFTERWARDS_SECONDS = 3;
const PATIENCE_MS = 5_000;

/** Row B1: one gateway and one dashboard are killed at once. */
export async function kill(rehearsal: Rehearsal): Promise<void> {
  const { load, restLoad, platform, say, judge } = rehearsal;
  const [gateway, dashboard] = [platform.gateways.pods[0], platform.dashboards.pods[0]] as [Pod, Pod];
  const fromMs = performance.now();
  const inFlight =
    flyingOn({ load, balancer: platform.gateway, pod: gateway }) +
    flyingOn({ load: restLoad, balancer: platform.dashboard, pod: dashboard });
  const pids = [gateway.pid, dashboard.pid];
  for (const pid of pids) if (pid !== undefined) process.kill(pid, 'SIGKILL');
  // A kernel takes a moment to close what a killed process had open, and the balancer one more to close its own side;
  // what is sent meanwhile is in flight too.
  const isGone = (): boolean =>
    gateway.pid !== pids[0] &&
    dashboard.pid !== pids[1] &&
    platform.gateway.connectionsTo(gateway.name) + platform.dashboard.connectionsTo(dashboard.name) === 0;
  while (!isGone()) await sleep(1);
  const goneMs = performance.now();
  await platform.recover();
  const seconds = (performance.now() - fromMs) / 1_000;
  await sleep(AFTERWARDS_SECONDS * 1_000);
  await Promise.all([load.allKnown(), restLoad.allKnown()]);

  const all = [...load.outcomes, ...restLoad.outcomes].filter(({ endMs }) => endMs >= fromMs);
  const failures = failuresOf(all);
  for (const line of failureLines(failures, fromMs)) say(line);
  const bound = inFlight + failures.filter(({ sentMs }) => sentMs >= fromMs && sentMs < goneMs).length;
  judge({
    ...{ scene: SCENE, what: 'failed requests (B1)', bound: `<= ${bound} in flight` },
    measured: `${failures.length} of ${all.length} (${tally(failures.map(({ failure }) => failure ?? ''))})`,
    met: failures.length <= bound && failures.every(({ failure }) => failure === 'connection lost'),
  });
  judge({
    ...{ scene: SCENE, what: 'both back and ready (B1)', bound: `<= ${RECOVERED_WITHIN_SECONDS} s` },
    ...{ measured: `${seconds.toFixed(1)} s`, met: seconds <= RECOVERED_WITHIN_SECONDS },
  });
  const lost = failuresOf(outcomesBetween(load, { fromMs: fromMs - PATIENCE_MS })).map(({ request }) => request);
  await judgeRetries(rehearsal, lost);
}

/** How many requests wait for an answer of this pod. */
function flyingOn({ load, balancer, pod }: { load: Load<LoadRequest>; balancer: Balancer; pod: Pod }): number {
  return load.inFlight().filter((port) => balancer.podOf(port) === pod.name).length;
}

/** What was lost is asked for once more: the same reservation, if it had one, and no second one. */
async function judgeRetries({ world, platform, judge }: Rehearsal, lost: readonly SponsoredRequest[]): Promise<void> {
  const senders = lost.map(({ sender }) => sender);
  const before = await reservationsOf(world, senders);
  let answered = 0;
  for (const request of lost) {
    const connection = await ClientConnection.open(platform.gateway.port, PATIENCE_MS);
    request.check(await connection.send(request.bytes, { timeoutMs: PATIENCE_MS, late: () => undefined }));
    connection.close();
    answered += 1;
  }
  const after = await reservationsOf(world, senders);
  const same = [...before].filter(([sender, id]) => after.get(sender) === id).length;
  judge({
    ...{ scene: SCENE, what: 'lost operations signed when asked for again', bound: `all ${lost.length}` },
    ...{ measured: String(answered), met: answered === lost.length },
  });
  judge({
    ...{ scene: SCENE, what: 'of those reserved before, with the same reservation', bound: `all ${before.size}` },
    ...{ measured: String(same), met: same === before.size && after.size === lost.length },
  });
}
