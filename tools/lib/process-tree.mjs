import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What ends by itself when the process above it is gone gets this long to do so, its own children included. */
const GRACE_MS = 5_000;

/**
 * Everything that a process started, and what that started: those still below it, not those that were handed to init.
 *
 * @param {number} root
 * @returns {{ pid: number, command: string }[]}
 */
export function processesBelow(root) {
  const all = runningProcesses();
  const below = [];
  for (let above = new Set([root]); above.size > 0;) {
    const next = all.filter(({ parent }) => above.has(parent));
    below.push(...next);
    above = new Set(next.map(({ pid }) => pid));
  }
  return below.map(({ pid, command }) => ({ pid, command }));
}

/**
 * Ends a process by force, then what is left of those that were below it.
 *
 * @param {number} root
 */
export async function endProcessTree(root) {
  const below = processesBelow(root);
  kill(root);
  const left = () => {
    const running = runningProcesses();
    // By the command too: a number may belong to another process by now.
    return below.filter((each) => running.some(({ pid, command }) => pid === each.pid && command === each.command));
  };
  for (const end = Date.now() + GRACE_MS; Date.now() < end && left().length > 0;) await sleep(100);
  for (const { pid } of left()) kill(pid);
}

function runningProcesses() {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), command }] : [];
  });
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
