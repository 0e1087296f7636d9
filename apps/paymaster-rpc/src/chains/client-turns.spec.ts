import { ClientTurns } from './client-turns';

/** Work that ends when a test says so, and what has begun so far. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  return { begun, work, end: (name: string) => ends.get(name)!() };
}

describe('ClientTurns', () => {
  it('gives one client its share, the others the rest, and each line its turn', async () => {
    const turns = new ClientTurns({ most: 3, mostOfClient: 2 });
    const { begun, work, end } = works();
    const first = turns.take('greedy', work('a1'));
    const taken = ['a2', 'a3', 'a4'].map((name) => turns.take('greedy', work(name)));
    const others = ['b1', 'b2'].map((name) => turns.take('honest', work(name)));
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    end('a1');
    expect(await first).toBe('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    end('a2');
    await taken[0];
    // The line of the greedy client was served last.
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
    ['a3', 'b1', 'b2'].forEach(end);
    await Promise.all([taken[1], ...others]);
    end('a4');
    await expect(taken[2]).resolves.toBe('a4');
  });

  it('frees a turn when the work fails', async () => {
    const turns = new ClientTurns({ most: 1, mostOfClient: 1 });
    const failing = turns.take('a', () => {
      throw new Error('at once');
    });
    const next = turns.take('a', () => Promise.resolve('next'));
    await expect(failing).rejects.toThrow('at once');
    await expect(next).resolves.toBe('next');
  });
});
