import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';

/** Of the world's chains.json; seconds. */
const MAX_HEAD_AGE_SECONDS = 10;

export const GATEWAY_PAUSED: Row = {
  id: 'B3',
  fault: 'a gateway stopped and continued',
  lastsSeconds: { short: 14, long: 30 },
  play: (scene, lastsSeconds) => {
    const victim = scene.world.gateways[0]!;
    return scene.underLoad(
      async (load) => {
        await load.recoversWithin(30_000);
        const pausedMs = performance.now();
        victim.signal('SIGSTOP');
        try {
          await sleep(lastsSeconds * 1_000);
        } finally {
          victim.signal('SIGCONT');
        }
        const chainSeconds = await scene.chainSeconds();
        const recovery = await load.recoversWithin(30_000);
        const old = load
          .since(pausedMs)
          .filter(({ outcome }) => outcome === 'signed')
          .filter((answer) => scene.headAgeSeconds(answer, chainSeconds) > MAX_HEAD_AGE_SECONDS + 2);
        return [
          { what: 'signatures on a head older than its bound', value: old.length, atMost: 0 },
          { what: 'recovery', value: recovery / 1_000, unit: 's', atMost: 10 },
        ];
      },
      { gateways: () => [victim.url], perSecond: 10 },
    );
  },
};
