import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';
import { p99Ms } from '../world/fault-scene';

export const POSTGRES_KILLED: Row = {
  id: 'B18',
  fault: 'Postgres killed, started again on its data',
  play: (scene) =>
    scene.underLoad(async (load) => {
      const { world } = scene;
      await load.recoversWithin(30_000);
      const killedMs = performance.now();
      process.kill(world.servers.postgres.pid, 'SIGKILL');
      await world.servers.postgres.died;
      await sleep(4_000);
      const after = load.since(killedMs + 2_000);
      await world.restartPostgres();
      const recovery = await load.recoversWithin(60_000);
      const bad = load.since(killedMs).filter(({ outcome }) => outcome === 'failed');
      return [
        { what: 'signed without it', value: after.filter((each) => each.outcome === 'signed').length, atMost: 0 },
        { what: 'answers that were no refusal', value: bad.length, atMost: 0 },
        { what: 'p99 of a refusal', value: p99Ms(after), unit: 'ms', atMost: 1_000 },
        { what: 'recovery', value: recovery / 1_000, unit: 's', atMost: 30 },
      ];
    }),
};
