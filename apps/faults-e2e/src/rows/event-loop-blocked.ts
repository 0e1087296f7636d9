import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';
import { p99Ms } from '../world/fault-scene';

/** Longer than a whole request may take, so that clients may have given up. */
const TOO_LONG_MS = 7_000;
/** As long as both blocks with what follows them, or the slowest of fewer requests would be held against them. */
const CALM_MS = 10_000;
/** What a busy machine adds to anybody. */
const NOISE_MS = 100;

export const EVENT_LOOP_BLOCKED: Row = {
  id: 'B4',
  fault: "a gateway's event loop blocked for 2 s, then for 7 s",
  play: (scene) =>
    scene.underLoad(
      async (load) => {
        const [victim, other] = scene.world.gateways;
        await load.recoversWithin(30_000);
        const ofOther = (fromMs: number) => p99Ms(load.since(fromMs).filter(({ gateway }) => gateway === other!.url));
        const calmMs = performance.now();
        await sleep(CALM_MS);
        const before = ofOther(calmMs);
        const block = async (forMs: number): Promise<number> => {
          const fromMs = performance.now();
          victim!.signal('SIGSTOP');
          await sleep(forMs);
          victim!.signal('SIGCONT');
          await scene.until('it lives', async () => (await fetch(`${victim!.url}/health/live`)).ok);
          return performance.now() - fromMs - forMs;
        };
        const shortMs = performance.now();
        const livesAfter = await block(2_000);
        await load.recoversWithin(30_000);
        const lost = load.since(shortMs).filter(({ outcome }) => outcome === 'failed').length;
        const longMs = performance.now();
        await block(TOO_LONG_MS);
        const recovery = await load.recoversWithin(30_000);
        const during = ofOther(shortMs);
        const failed = load.since(longMs).filter(({ outcome }) => outcome === 'failed').length;
        return [
          { what: 'alive after', value: livesAfter / 1_000, unit: 's', atMost: 10 },
          { what: "the other's p99", value: during, unit: 'ms', atMost: before * 1.5 + NOISE_MS },
          { what: 'without an answer after 2 s', value: lost, atMost: 0 },
          { what: 'without an answer after 7 s', value: failed, atMost: 0 },
          { what: 'recovery', value: recovery / 1_000, unit: 's', atMost: 10 },
        ];
      },
      { perSecond: 20 },
    ),
};
