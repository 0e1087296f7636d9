import { setImmediate } from 'node:timers/promises';
import { repeat } from './repeat';

describe('repeat', () => {
  it('goes on at once while there is more, rests when there is not, and ends with the signal', async () => {
    const stopping = new AbortController();
    const calls: number[] = [];
    const running = repeat({
      step: async () => calls.push(Date.now()) < 3,
      pauseMs: () => 60_000,
      onFault: () => undefined,
      signal: stopping.signal,
    });
    // All steps that follow at once have been called by now, because they wait for nothing.
    await setImmediate();
    expect(calls).toHaveLength(3);
    stopping.abort();
    await running;
    expect(calls).toHaveLength(3);
  });

  it('goes on after failures, which it counts until one step succeeds', async () => {
    const stopping = new AbortController();
    const failures: number[] = [];
    let calls = 0;
    await repeat({
      step: async () => {
        calls += 1;
        if (calls === 3) return true;
        if (calls === 5) stopping.abort();
        throw new Error('no');
      },
      pauseMs: () => 1,
      onFault: (_error, inARow) => failures.push(inARow),
      signal: stopping.signal,
    });
    expect(failures).toEqual([1, 2, 1, 2]);
  });
});
