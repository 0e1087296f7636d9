import { passedLimits, reservationsOf, reservedTwice, verifyBooks } from '../ledger-books';
import type { Rehearsal } from '../rehearsal';

const SCENE = 'books';

/** After all of it: what was signed is reserved, once, within every limit, and the books say so themselves. */
export async function books({ world, load, judge, say }: Rehearsal): Promise<void> {
  const differences = await verifyBooks(world);
  if (differences) say(differences);
  judge({
    ...{ scene: SCENE, what: "settlement's own check of the books", bound: 'no difference' },
    ...{ measured: differences ? 'differences' : 'no difference', met: differences === '' },
  });
  const signed = load.outcomes.filter(({ failure }) => failure === undefined).map(({ request }) => request.sender);
  const reserved = await reservationsOf(world, signed);
  const unreserved = signed.filter((sender) => !reserved.has(sender)).length;
  judge({
    ...{ scene: SCENE, what: `signatures without a reservation, of ${signed.length}`, bound: '0' },
    ...{ measured: String(unreserved), met: unreserved === 0 },
  });
  const [twice, passed] = [await reservedTwice(world), await passedLimits(world)];
  judge({
    ...{ scene: SCENE, what: 'operations reserved twice (B1)', bound: '0' },
    ...{ measured: String(twice), met: twice === 0 },
  });
  judge({
    ...{ scene: SCENE, what: 'limits passed', bound: '0' },
    ...{ measured: String(passed), met: passed === 0 },
  });
}
