import { aReserveRequest } from '../testing';
import type { Database } from './database';
import type { SentChange } from './ledger';
import { SentOperationRows } from './sent-operation-rows';

/** A database that is away until the test says otherwise. */
function world() {
  const state = { isAway: true, batches: [] as (readonly string[])[] };
  const query = async ({ name, values }: { name: string; values: readonly unknown[] }): Promise<unknown[]> => {
    if (state.isAway) throw new Error('away');
    if (name === 'ledger-sent') state.batches.push(values[4] as string[]);
    return [];
  };
  const rows = new SentOperationRows({ query } as unknown as Database);
  const record = (userOpHash: string, characters = 1) =>
    rows.record({
      ...aReserveRequest(),
      ...{ state: 'sent', userOpHash, bundler: 'first', bundlers: ['first'], message: null, sinceBlock: 7n },
      operation: 'x'.repeat(characters),
    } as SentChange);
  return { state, rows, record };
}

describe('SentOperationRows', () => {
  it('writes what happens to one operation one after the other, and others together', async () => {
    const { state, rows, record } = world();
    for (const hash of ['a', 'b', 'a', 'c', 'a']) record(hash);
    state.isAway = false;
    await rows.close();
    expect(state.batches).toEqual([['a', 'b'], ['a', 'c'], ['a']]);
    expect(rows.dropped).toBe(0);
  });

  it.each([
    ['changes', 5_001, 1],
    ['characters', 101, 100_000],
  ])('keeps a bounded number of %s while the database is away', async (_what, count, characters) => {
    const { rows, record } = world();
    for (let index = 0; index < count; index++) record(String(index), characters);
    expect(rows.dropped).toBe(1);
    await rows.close();
  });
});
