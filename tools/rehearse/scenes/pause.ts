import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from '../pod';
import { failureLines, failuresOf, type Rehearsal } from '../rehearsal';
import { tally } from '../report';

const SCENE = 'pause';
const PAUSE_SECONDS = 30;
const RECOVERED_WITHIN_SECONDS = 10;
const AFTERWARDS_SECONDS = 12;

/** Row B3: a gateway stands still for half a minute, and wakes up among what others have done meanwhile. */
export async function pause(rehearsal: Rehearsal): Promise<void> {
  const { load, restLoad, platform, say, judge } = rehearsal;
  const [gateway] = platform.gateways.pods as [Pod];
  const { pid = 0 } = gateway;
  const fromMs = performance.now();
  process.kill(pid, 'SIGSTOP');
  await sleep(PAUSE_SECONDS * 1_000);
  const wokenMs = performance.now();
  // A liveness probe that gave up on it may have had it killed by now.
  const isThere = gateway.pid === pid;
  if (isThere) process.kill(pid, 'SIGCONT');
  say(`  ${gateway.name} ${isThere ? 'goes on' : 'was ended meanwhile'}, ${gateway.ready ? 'still' : 'no more'} ready`);
  await sleep(AFTERWARDS_SECONDS * 1_000);
  await Promise.all([load.allKnown(), restLoad.allKnown()]);
  const toMs = performance.now();

  const all = [...load.outcomes, ...restLoad.outcomes].filter(({ dueMs, endMs }) => endMs >= fromMs && dueMs < toMs);
  const failures = failuresOf(all);
  for (const line of failureLines(failures, fromMs)) say(line);
  const lastSeconds = Math.max(0, ...failures.map(({ dueMs }) => (dueMs - fromMs) / 1_000));
  judge({
    ...{ scene: SCENE, what: 'last request that failed was sent after', bound: `<= ${RECOVERED_WITHIN_SECONDS} s` },
    measured: `${lastSeconds.toFixed(1)} s; ${failures.length} of ${all.length} (${tally(failures.map(({ failure }) => failure ?? ''))})`,
    met: lastSeconds <= RECOVERED_WITHIN_SECONDS,
  });
  const woken = failures.filter(({ dueMs }) => dueMs >= wokenMs).length;
  judge({
    ...{ scene: SCENE, what: 'requests that failed once it went on', bound: '0' },
    ...{ measured: String(woken), met: woken === 0 },
  });
  const late = load.lateReplies.filter(({ receivedMs }) => receivedMs >= fromMs);
  const signed = late.filter(({ reply }) => reply.body.includes('"paymasterAndData"')).length;
  judge({
    ...{ scene: SCENE, what: 'signatures after the deadline of their request (B3)', bound: '0' },
    ...{ measured: `${signed} among ${late.length} late answers`, met: signed === 0 },
  });
  await platform.recover();
  say(`  in full strength ${((performance.now() - wokenMs) / 1_000).toFixed(1)} s after it went on`);
}
