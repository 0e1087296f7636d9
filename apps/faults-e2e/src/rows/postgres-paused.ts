import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';
import { latencyMs } from '../world/load';

/** DATABASE_POOL_SIZE of a gateway, and one that a health check may open. */
const CONNECTIONS_OF_A_GATEWAY = 4;
/** Statements have a second, their connection another: then the breaker is open. */
const BREAKER_OPENS_MS = 3_000;

export const POSTGRES_PAUSED: Row = {
  id: 'B19',
  fault: 'Postgres paused',
  lastsSeconds: { short: 7, long: 20 },
  play: (scene, lastsSeconds) =>
    scene.underLoad(
      async (load) => {
        const { world } = scene;
        const pool = CONNECTIONS_OF_A_GATEWAY * world.gateways.length;
        await load.recoversWithin(30_000);
        const pids = processTree(world.servers.postgres.pid);
        const pausedMs = performance.now();
        signalAll(pids, 'SIGSTOP');
        let connections = 0;
        let waiting = 0;
        try {
          await sleep(BREAKER_OPENS_MS);
          while (performance.now() - pausedMs < lastsSeconds * 1_000) {
            connections = Math.max(connections, world.postgres.gateways.open);
            waiting = Math.max(waiting, load.waiting);
            await sleep(20);
          }
        } finally {
          signalAll(pids, 'SIGCONT');
        }
        const recovery = await load.recoversWithin(60_000);
        const slowest = Math.max(...load.since(pausedMs).map(latencyMs));
        return [
          { what: 'connections', value: connections, atMost: pool },
          { what: 'requests waiting', value: waiting, atMost: pool },
          { what: 'slowest answer', value: slowest / 1_000, unit: 's', atMost: 5 },
          { what: 'recovery', value: recovery / 1_000, unit: 's', atMost: 5 },
        ];
      },
      { perSecond: 20 },
    ),
};

/** A process and everything below it. */
function processTree(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return [{ pid: Number(pid), parent: Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]) }];
      } catch {
        return [];
      }
    });
  const tree = [root];
  for (const each of tree) tree.push(...parents.filter(({ parent }) => parent === each).map(({ pid }) => pid));
  return tree;
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself.
    }
  }
}
