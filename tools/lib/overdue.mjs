import { existsSync } from 'node:fs';
import { endProcessTree, processesBelow } from './process-tree.mjs';
import { say } from './steps.mjs';

const ASK_EVERY_MS = 1_000;
const LONGEST_COMMAND = 140;

/**
 * A command is overdue when it took longer than that.
 *
 * @param {number} seconds
 */
export function notDoneWithin(seconds) {
  const hasPassed = countdown(seconds);
  return () => (hasPassed() ? `it was not done after ${inWords(seconds)}` : undefined);
}

/**
 * A command is overdue when it still runs so long after it wrote a file that only its end is left to come.
 *
 * @param {string} file
 * @param {number} seconds
 */
export function notEndedAfter(file, seconds) {
  let hasPassed;
  return () => {
    if (existsSync(file)) hasPassed ??= countdown(seconds);
    return hasPassed?.()
      ? `it had not ended ${inWords(seconds)} after its report: something was left running`
      : undefined;
  };
}

/**
 * Ends a command and everything it started, once there is a reason to, and shows what that was.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {() => string | undefined} reason
 * @returns {{ ending: boolean, ended: Promise<string>, stop(): void }} `ended` resolves with the reason
 */
export function endWhenOverdue(child, reason) {
  let timer;
  const watch = { ending: false, ended: undefined, stop: () => clearInterval(timer) };
  watch.ended = new Promise((resolve) => {
    timer = setInterval(() => {
      const why = reason();
      if (why === undefined) return;
      watch.stop();
      watch.ending = true;
      showProcesses(child.pid);
      void endProcessTree(child.pid).then(() => resolve(why));
    }, ASK_EVERY_MS);
  });
  return watch;
}

/** Equal ones once. */
function showProcesses(root) {
  const counts = new Map();
  for (const { command } of processesBelow(root)) counts.set(command, (counts.get(command) ?? 0) + 1);
  if (counts.size > 0) say('Ended by force, with what it had started:');
  for (const [command, count] of counts) say(`  ${count} x ${command.slice(0, LONGEST_COMMAND)}`);
}

function countdown(seconds) {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() > end;
}

function inWords(seconds) {
  return seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} s`;
}
