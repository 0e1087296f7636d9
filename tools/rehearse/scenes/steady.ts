import { setTimeout as sleep } from 'node:timers/promises';
import { failureLines, failuresOf, outcomesBetween, type Rehearsal } from '../rehearsal';
import { percentile, tally } from '../report';

const SECONDS = 12;

/** Nothing happens: what all the others are compared with. */
export async function steady({ load, restLoad, platform, say, judge }: Rehearsal): Promise<void> {
  const fromMs = performance.now();
  await sleep(SECONDS * 1_000);
  const toMs = performance.now();
  await Promise.all([load.allKnown(), restLoad.allKnown()]);
  const outcomes = outcomesBetween(load, { fromMs, toMs });
  const all = [...outcomes, ...outcomesBetween(restLoad, { fromMs, toMs })];
  const failures = failuresOf(all);
  for (const line of failureLines(failures, fromMs)) say(line);
  const scene = 'steady';
  const pods = `${platform.gateways.pods.length} and ${platform.dashboards.pods.length}`;
  judge({ scene, what: 'gateways and dashboards', measured: pods, bound: '3 and 2', met: pods === '3 and 2' });
  const perSecond = outcomes.length / ((toMs - fromMs) / 1_000);
  const p99 = percentile(
    outcomes.map(({ dueMs, endMs }) => endMs - dueMs),
    0.99,
  );
  say(`  ${perSecond.toFixed(0)} sponsored operations a second, p99 ${p99.toFixed(0)} ms`);
  judge({
    ...{ scene, what: 'failed requests', bound: '0' },
    measured: `${failures.length} of ${all.length} (${tally(failures.map(({ failure }) => failure ?? ''))})`,
    met: failures.length === 0,
  });
}
