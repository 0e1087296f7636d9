import { setTimeout as sleep } from 'node:timers/promises';
import { failureLines, failuresOf, outcomesBetween, placedSince, type Rehearsal } from '../rehearsal';
import { tally } from '../report';

const AFTERWARDS_SECONDS = 3;
/** Row B2 of the fault matrix: from being deleted to being gone, preStop included. */
const LONGEST_END_SECONDS = 25;

/** Row B2: a new version of all gateways and dashboards, under load. */
export async function rollingUpdate({ load, restLoad, platform, say, judge }: Rehearsal): Promise<void> {
  const fromMs = performance.now();
  const [gatewayConnections, dashboardConnections] = [placedSince(platform.gateway), placedSince(platform.dashboard)];
  const endingsBefore = platform.endings.length;
  await platform.roll();
  const seconds = (performance.now() - fromMs) / 1_000;
  await sleep(AFTERWARDS_SECONDS * 1_000);
  await Promise.all([load.allKnown(), restLoad.allKnown()]);
  const all = [...outcomesBetween(load, { fromMs }), ...outcomesBetween(restLoad, { fromMs })];
  const failures = failuresOf(all);
  for (const line of failureLines(failures, fromMs)) say(line);
  const scene = 'rolling update';
  const endings = platform.endings.slice(endingsBefore);
  say(`  ${endings.length} pods replaced in ${seconds.toFixed(0)} s`);
  judge({
    ...{ scene, what: 'failed requests', bound: '0' },
    measured: `${failures.length} of ${all.length} (${tally(failures.map(({ failure }) => failure ?? ''))})`,
    met: failures.length === 0,
  });
  const [gateway, dashboard] = [gatewayConnections(), dashboardConnections()];
  const misplaced = gateway.passedOn + gateway.dropped + dashboard.passedOn + dashboard.dropped;
  judge({
    ...{ scene, what: 'connections that a pod behind the Service did not take', bound: '0' },
    ...{ measured: String(misplaced), met: misplaced === 0 },
  });
  const longest = Math.max(...endings);
  judge({
    ...{ scene, what: 'longest end of a pod (B2)', bound: `< ${LONGEST_END_SECONDS} s` },
    ...{ measured: `${longest.toFixed(1)} s`, met: longest < LONGEST_END_SECONDS },
  });
}
