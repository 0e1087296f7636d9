import { setTimeout as sleep } from 'node:timers/promises';
import { RequestTimedOutError } from '@paymaster/domain';
import { SlotsPerKey } from './slots-per-key';

describe('SlotsPerKey', () => {
  /** Work that ends when told, and what has begun so far. */
  const world = (waitMs = 60_000) => {
    const slots = new SlotsPerKey({ most: 3, mostPerKey: 2, waitMs }, 'simulations');
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (name: string) =>
      slots.run(name[0]!, () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      });
    const end = async (name: string) => {
      ends.get(name)!();
      await sleep(1);
    };
    return { slots, begun, run, end };
  };

  it('runs no more of one key than its share, nor more in all than there are slots', async () => {
    const { begun, run, end } = world();
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(run);
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('b1');
    expect(begun.slice(3)).toEqual(['b2']);
    await end('a1');
    expect(begun.slice(4)).toEqual(['a3']);
    await end('a2');
    expect(begun.slice(5)).toEqual(['c1']);
    for (const name of ['a3', 'b2', 'c1']) await end(name);
    await expect(Promise.all(all)).resolves.toHaveLength(6);
  });

  it('asks to retry in a second when no slot comes free, and forgets the waiting call', async () => {
    const { begun, run, end } = world(10);
    const running = [run('a1'), run('a2')];
    await expect(run('a3')).rejects.toMatchObject({ dependency: 'chain', retryAfterSeconds: 1 });
    await end('a1');
    await end('a2');
    await Promise.all(running);
    expect(begun).toEqual(['a1', 'a2']);
    void run('a4');
    void run('a5');
    expect(begun.slice(2)).toEqual(['a4', 'a5']);
  });

  it('frees the slot of work that fails', async () => {
    const { slots, begun, run } = world();
    for (let round = 0; round < 5; round++)
      await expect(slots.run('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    void run('a1');
    void run('a2');
    expect(begun).toEqual(['a1', 'a2']);
  });

  it('begins no work after a deadline, and lets no call wait beyond it', async () => {
    const { slots, run } = world();
    ['a1', 'a2'].forEach((name) => void run(name));
    const begun = jest.fn();
    await expect(slots.run('b', begun, performance.now())).rejects.toThrow(RequestTimedOutError);
    await expect(slots.run('a', begun, performance.now() + 100)).rejects.toThrow('too many simulations at once');
    expect(begun).not.toHaveBeenCalled();
  });
});
