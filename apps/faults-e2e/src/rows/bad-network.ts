import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from './row';
import { successPercent } from '../world/fault-scene';

/** There and back is 200 ms, and a lost packet costs as much again. */
const BAD = { kind: 'delay', ms: 100, lossRate: 0.05, retransmitMs: 200 } as const;

export const BAD_NETWORK: Row = {
  id: 'B46',
  fault: '200 ms and 5 % loss to Postgres and NATS, 100 requests a second',
  lastsSeconds: { short: 8, long: 60 },
  play: (scene, lastsSeconds) =>
    scene.underLoad(
      async (load) => {
        const { world } = scene;
        await load.recoversWithin(30_000);
        const badMs = performance.now();
        const connectionsBefore = world.postgres.gateways.accepted;
        for (const edge of [world.postgres.gateways, world.nats.gateways]) edge.become(BAD);
        await sleep(lastsSeconds * 1_000);
        const during = load.since(badMs);
        for (const edge of [world.postgres.gateways, world.nats.gateways]) edge.become({ kind: 'pass' });
        return [
          { what: 'RPC success', value: successPercent(during), unit: '%', atLeast: 99 },
          { what: 'new connections', value: world.postgres.gateways.accepted - connectionsBefore, atMost: during.length / 10 }, // prettier-ignore
        ];
      },
      { perSecond: 100 },
    ),
};
