import { DependencyUnavailableError } from '@paymaster/domain';
import { faker } from '@faker-js/faker';
import { DatabaseError } from 'pg';
import { aReserveRequest } from '../testing';
import type { Database } from './database';
import { RefusalRecorder } from './refusal-recorder';

type Refusal = Parameters<RefusalRecorder['record']>[0];

const aRefusal = (reason: string): Refusal => ({
  ...aReserveRequest().event,
  ...{ kind: 'refused', reservationId: null, reason, message: 'no', prechargeWei: null, details: {} },
  paymasterId: faker.string.uuid(),
});

/** A database that refuses a statement with a bad row, and counts the statements. */
function world(answer: (reasons: readonly string[]) => void = () => undefined) {
  const written: string[] = [];
  const statements: number[] = [];
  const query = async ({ values }: { values: readonly unknown[] }): Promise<unknown[]> => {
    const reasons = (values[3] as string[]).map((payload) => (JSON.parse(payload) as { reason: string }).reason);
    statements.push(reasons.length);
    answer(reasons);
    written.push(...reasons);
    return [];
  };
  const recorder = new RefusalRecorder({ query } as unknown as Database, { maxPerSecond: 1_000, clock: () => 0 });
  return { recorder, written, statements };
}

function unavailable(code: string): DependencyUnavailableError {
  const cause = Object.assign(new DatabaseError('no', 2, 'error'), { code });
  return new DependencyUnavailableError('database', 'no', { cause });
}

const BAD = 'BAD';
const refusingBad = (reasons: readonly string[]): void => {
  if (reasons.includes(BAD)) throw unavailable('22P02');
};

describe('RefusalRecorder', () => {
  it('writes the others of a batch when the database does not take one row, and counts that one', async () => {
    const { recorder, written, statements } = world(refusingBad);
    const reasons = Array.from({ length: 100 }, (_, index) => (index === 37 ? BAD : `R${index}`));
    for (const reason of reasons) recorder.record(aRefusal(reason));
    await recorder.close();
    expect(written.sort()).toEqual(reasons.filter((reason) => reason !== BAD).sort());
    expect(recorder.dropped).toBe(1);
    expect(statements.length).toBeLessThanOrEqual(15);
  });

  it('asks at most twice for each row when all are bad', async () => {
    const { recorder, written, statements } = world(refusingBad);
    for (let index = 0; index < 64; index++) recorder.record(aRefusal(BAD));
    await recorder.close();
    expect([written.length, recorder.dropped]).toEqual([0, 64]);
    expect(statements.length).toBeLessThan(128);
  });

  it('keeps all while the database is away', async () => {
    let isAway = true;
    const { recorder, written } = world(() => {
      if (isAway) throw unavailable('57P01');
    });
    recorder.record(aRefusal('R'));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect([written, recorder.dropped]).toEqual([[], 0]);
    isAway = false;
    await recorder.close();
    expect(written).toEqual(['R']);
  });
});
