import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';
import { successPercent } from '../world/fault-scene';

export const DASHBOARDS_DOWN: Row = {
  id: 'B8',
  fault: 'every dashboard down',
  lastsSeconds: { short: 8, long: 1_800 },
  play: (scene, lastsSeconds) =>
    scene.underLoad(async (load) => {
      const { dashboards } = scene.world;
      await load.recoversWithin(30_000);
      const downMs = performance.now();
      for (const dashboard of dashboards) await dashboard.kill();
      await sleep(lastsSeconds * 1_000);
      const during = load.since(downMs);
      await Promise.all(dashboards.map((dashboard) => dashboard.startAgain()));
      return [{ what: 'RPC success', value: successPercent(during), unit: '%', atLeast: 99.9 }];
    }),
};
