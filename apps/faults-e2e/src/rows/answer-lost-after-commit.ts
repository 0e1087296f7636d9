import { randomInt } from 'node:crypto';
import type { Row } from '../row';
import { newOperation } from '../world/operations';

const OPERATIONS = 20;

export const ANSWER_LOST_AFTER_COMMIT: Row = {
  id: 'B20',
  fault: 'Postgres cut off after COMMIT was sent',
  async play(scene) {
    const { world } = scene;
    const [gateway, other] = world.gateways;
    const operations = Array.from({ length: OPERATIONS }, () => newOperation(world.demo));
    const senders = operations.map(({ sender }) => sender);
    const held = async () =>
      (await scene.rows('SELECT sender FROM ledger.reservations WHERE sender = ANY($1)', [senders])).length;
    world.postgres.gateways.become({ kind: 'deaf' });
    const asked = operations.map((operation) => scene.ask(gateway!.url, { operation }));
    await scene.until('something is committed whose answer is lost', async () => (await held()) > 0);
    world.postgres.gateways.resetAll();
    world.postgres.gateways.become({ kind: 'pass' });
    const first = await Promise.all(asked);
    const heldUnheard = await held();
    await scene.untilWell();
    // The client does what it is told and asks again, wherever it gets to.
    const retried = await Promise.all(
      operations.map((operation) => scene.ask([gateway!, other!][randomInt(2)]!.url, { operation })),
    );
    return [
      { what: 'committed unheard', value: heldUnheard, atLeast: 1 },
      { what: 'signed unheard', value: first.filter(({ outcome }) => outcome === 'signed').length, atMost: 0 },
      { what: 'signed on retry', value: retried.filter(({ outcome }) => outcome === 'signed').length, atLeast: OPERATIONS }, // prettier-ignore
      { what: 'held twice', value: (await held()) - OPERATIONS, atMost: 0 },
    ];
  },
};
