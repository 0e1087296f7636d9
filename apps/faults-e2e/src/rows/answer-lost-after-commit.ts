import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UserOperationV06 } from '@paymaster/domain';
import type { Row } from './row';
import { newOperation } from '../world/operations';

const OPERATIONS = 20;

export const ANSWER_LOST_AFTER_COMMIT: Row = {
  id: 'B20',
  fault: 'Postgres cut off after COMMIT was sent',
  async play(scene) {
    const { world } = scene;
    const [gateway, other] = world.gateways;
    const held = async (operations: readonly UserOperationV06[]) => {
      const senders = operations.map(({ sender }) => sender);
      return scene.rows<{ sender: string }>('SELECT sender FROM ledger.reservations WHERE sender = ANY($1)', [senders]);
    };
    let operations: UserOperationV06[] = [];
    let [heldUnheard, signedUnheard] = [0, 0];
    // A gateway that looks at the wallet first, which it does every second, is cut off there: nothing is committed.
    await scene.until('something is committed whose answer is lost', async () => {
      await scene.untilWell();
      operations = Array.from({ length: OPERATIONS }, () => newOperation(world.demo));
      world.postgres.gateways.become({ kind: 'deaf' });
      const asked = operations.map((operation) => scene.ask(gateway!.url, { operation }));
      let unheard: { sender: string }[] = [];
      for (let looks = 0; looks < 20 && unheard.length === 0; looks += 1) {
        await sleep(50);
        unheard = await held(operations);
      }
      world.postgres.gateways.resetAll();
      world.postgres.gateways.become({ kind: 'pass' });
      const answers = await Promise.all(asked);
      // Operations that waited in the gateway for a connection are sent after this, and heard: they are signed rightly.
      const senders = new Set(unheard.map(({ sender }) => sender));
      signedUnheard += answers.filter(
        ({ outcome }, index) => outcome === 'signed' && senders.has(operations[index]!.sender),
      ).length;
      heldUnheard = unheard.length;
      return heldUnheard > 0;
    });
    await scene.untilWell();
    // The client does what it is told and asks again, wherever it gets to.
    const retried = await Promise.all(
      operations.map((operation) => scene.ask([gateway!, other!][randomInt(2)]!.url, { operation })),
    );
    return [
      { what: 'committed unheard', value: heldUnheard, atLeast: 1 },
      { what: 'signed unheard', value: signedUnheard, atMost: 0 },
      { what: 'signed on retry', value: retried.filter(({ outcome }) => outcome === 'signed').length, atLeast: OPERATIONS }, // prettier-ignore
      { what: 'held twice', value: (await held(operations)).length - OPERATIONS, atMost: 0 },
    ];
  },
};
