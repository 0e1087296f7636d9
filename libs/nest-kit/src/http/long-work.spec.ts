import { LongWork } from './long-work';

describe('LongWork', () => {
  /** Blocks the event loop. */
  const hold = (ms: number): void => {
    const untilMs = performance.now() + ms;
    while (performance.now() < untilMs);
  };

  it('lets clients take turns, and ends begun work before it begins more', async () => {
    const work = new LongWork();
    const done: string[] = [];
    const request = async (whom: string, name: string): Promise<void> => {
      const pieces = work.of(whom);
      for (let piece = 1; piece <= 2; piece++) {
        await pieces.pause();
        done.push(`${name}${piece}`);
        hold(3);
      }
    };
    await Promise.all([request('a', 'a'), request('a', 'b'), request('a', 'c'), request('other', 'o')]);
    expect(done).toEqual(['a1', 'a2', 'o1', 'b1', 'o2', 'b2', 'c1', 'c2']);
  });

  it('rests after each piece for twice as long as the piece took', async () => {
    const work = new LongWork();
    const pieces = [work.of('a'), work.of('b')];
    const [beganMs, heldMs] = [performance.now(), 10 * 2 * 5];
    await Promise.all(
      pieces.map(async (each) => {
        for (let piece = 0; piece < 10; piece++) {
          await each.pause();
          hold(5);
        }
      }),
    );
    // There is no rest before the first piece and after the last piece.
    expect(performance.now() - beganMs).toBeGreaterThan(heldMs + 2 * (heldMs - 5) - 20);
  });

  it('does not pause short work', async () => {
    const pieces = new LongWork().of('a');
    await pieces.pause();
    let isLater = false;
    setImmediate(() => (isLater = true));
    for (let step = 0; step < 10; step++) await pieces.pause();
    expect(isLater).toBe(false);
  });
});
