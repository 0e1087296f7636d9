import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';
import { successPercent } from '../world/fault-scene';

export const NATS_DOWN: Row = {
  id: 'B11',
  fault: 'NATS down',
  lastsSeconds: { short: 8, long: 900 },
  async play(scene, lastsSeconds) {
    const { world } = scene;
    const changed = await scene.newPaymaster();
    const signs = async () => (await scene.ask(world.gateways[0]!.url, { apiKey: changed })).outcome === 'signed';
    await scene.until('the second paymaster signs', signs);
    return scene.underLoad(async (load) => {
      await load.recoversWithin(30_000);
      const downMs = performance.now();
      await world.servers.nats.stop();
      await sleep(lastsSeconds * 500);
      await scene.dashboard('PATCH', 'smart-contract', {
        apiKey: changed,
        body: { address: world.demo.address, whitelistedMethods: ['add'] },
      });
      await sleep(lastsSeconds * 500);
      const during = load.since(downMs);
      await world.restartNats();
      const backMs = performance.now();
      await scene.until('the change is obeyed', async () => !(await signs()));
      const staleness = performance.now() - backMs;
      const unpublished = `SELECT FROM ledger.outbox WHERE published_at IS NULL AND created_at < now() - interval '3 s'`;
      await scene.until('the outbox is empty', async () => (await scene.rows(unpublished)).length === 0);
      return [
        { what: 'RPC success', value: successPercent(during), unit: '%', atLeast: 99.9 },
        { what: 'policy staleness', value: staleness / 1_000, unit: 's', atMost: 30 },
        { what: 'outbox drained', value: (performance.now() - backMs) / 1_000, unit: 's', atMost: 60 },
      ];
    });
  },
};
