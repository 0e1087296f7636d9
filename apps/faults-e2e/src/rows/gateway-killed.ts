import type { Row } from './row';

export const GATEWAY_KILLED: Row = {
  id: 'B1',
  fault: 'a gateway killed in the middle of requests',
  play: (scene) => {
    const [victim, other] = [scene.world.gateways[0]!, scene.world.gateways[1]!];
    let balanced = [victim.url, other.url];
    return scene.underLoad(
      async (load) => {
        await load.recoversWithin(30_000);
        const inFlight = load.waiting;
        const killedMs = performance.now();
        // A balancer takes a gateway out that refuses connections, and in again when it is ready.
        balanced = [other.url];
        await victim.kill();
        const recovery = await load.recoversWithin(30_000);
        await victim.startAgain();
        balanced = [victim.url, other.url];
        const restartedMs = performance.now();
        await load.recoversWithin(30_000);
        const lost = load.answers.filter(({ outcome }) => outcome === 'failed');
        const retried = await Promise.all(lost.map(({ operation }) => scene.ask(other.url, { operation })));
        return [
          { what: 'lost requests beyond those in flight', value: Math.max(0, lost.length - inFlight), atMost: 0 },
          { what: 'lost that a retry does not get', value: retried.filter((each) => each.outcome !== 'signed').length, atMost: 0 }, // prettier-ignore
          { what: 'held twice', value: await scene.heldTwice(), atMost: 0 },
          { what: 'recovery', value: recovery / 1_000, unit: 's', atMost: 10 },
          { what: 'ready again after', value: (restartedMs - killedMs) / 1_000, unit: 's', atMost: 60 },
        ];
      },
      { gateways: () => balanced, perSecond: 50 },
    );
  },
};
