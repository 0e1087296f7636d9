import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';

export const GATEWAY_DRAINED: Row = {
  id: 'B2',
  fault: 'both gateways replaced, one after the other',
  play: (scene) => {
    const { gateways } = scene.world;
    let ready = gateways.map(({ url }) => url);
    return scene.underLoad(
      async (load) => {
        await load.recoversWithin(30_000);
        const over = new AbortController();
        const balancing = (async () => {
          while (!over.signal.aborted) {
            const urls = await Promise.all(gateways.map(async (each) => ((await each.isReady()) ? [each.url] : [])));
            ready = urls.flat();
            await sleep(100);
          }
        })();
        let slowestExitMs = 0;
        try {
          for (const gateway of gateways) {
            const askedMs = performance.now();
            await gateway.stop();
            slowestExitMs = Math.max(slowestExitMs, performance.now() - askedMs);
            await gateway.startAgain();
            await scene.until('the balancer has it again', async () => ready.includes(gateway.url));
          }
          await load.recoversWithin(30_000);
        } finally {
          over.abort();
          await balancing;
        }
        return [
          {
            what: 'failed requests',
            value: load.answers.filter((each) => each.outcome !== 'signed').length,
            atMost: 0,
          },
          { what: 'slowest exit', value: slowestExitMs / 1_000, unit: 's', atMost: 25 },
        ];
      },
      { gateways: () => ready, perSecond: 50 },
    );
  },
};
