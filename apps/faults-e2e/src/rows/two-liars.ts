import { setTimeout as sleep } from 'node:timers/promises';
import { lies } from '@paymaster/chain/testing';
import type { Row } from './row';

/** Of the world's chains.json, and two blocks: as long as the last head that was agreed on stands. */
const NOTICED_MS = 12_000;

export const TWO_LIARS: Row = {
  id: 'B30',
  fault: 'two of three providers lie, each in its way',
  play: (scene) =>
    scene.underLoad(async (load) => {
      await load.recoversWithin(30_000);
      const lyingMs = performance.now();
      scene.world.providers[0]!.lie(lies.oldFee(1n));
      scene.world.providers[1]!.lie(lies.oldFee(2n));
      await sleep(NOTICED_MS + 3_000);
      const after = load.since(lyingMs + NOTICED_MS);
      for (const provider of scene.world.providers) provider.beHonest();
      const recovery = await load.recoversWithin(60_000);
      return [
        { what: 'signed', value: after.filter(({ outcome }) => outcome === 'signed').length, atMost: 0 },
        { what: 'refused', value: after.filter(({ outcome }) => outcome === 'refused').length, atLeast: 1 },
        { what: 'recovery', value: recovery / 1_000, unit: 's', atMost: 60 },
      ];
    }),
};
