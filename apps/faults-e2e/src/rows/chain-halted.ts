import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';

/** Of the world's chains.json, and a block; seconds. */
const NOTICED_SECONDS = 10 + 2;

export const CHAIN_HALTED: Row = {
  id: 'B34',
  fault: 'the chain mines no block',
  lastsSeconds: { short: 15, long: 1_800 },
  play: (scene, lastsSeconds) =>
    scene.underLoad(async (load) => {
      await load.recoversWithin(30_000);
      const haltedMs = performance.now();
      await scene.mineEvery(0);
      try {
        await sleep(lastsSeconds * 1_000);
      } finally {
        await scene.mineEvery(1);
      }
      const after = load
        .since(haltedMs + NOTICED_SECONDS * 1_000)
        .filter(({ askedMs }) => askedMs < haltedMs + lastsSeconds * 1_000);
      const recovery = await load.recoversWithin(60_000);
      return [
        { what: 'signed while it stood still', value: after.filter((each) => each.outcome === 'signed').length, atMost: 0 }, // prettier-ignore
        { what: 'refused', value: after.filter((each) => each.outcome === 'refused').length, atLeast: 1 },
        { what: 'recovery', value: recovery / 1_000, unit: 's', atMost: 60 },
      ];
    }),
};
