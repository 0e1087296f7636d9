import { setTimeout as sleep } from 'node:timers/promises';
import { RefreshLoop } from './refresh-loop';

describe('RefreshLoop', () => {
  afterEach(() => jest.useRealTimers());

  it('runs again and again, never two at once, until it is stopped', async () => {
    jest.useFakeTimers();
    let underWay = 0;
    let most = 0;
    let runs = 0;
    const loop = new RefreshLoop(async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      underWay -= 1;
      runs += 1;
    }, 1_000);
    void loop.start();
    for (let second = 0; second < 15; second++) {
      await jest.advanceTimersByTimeAsync(1_000);
      void loop.runNow();
    }
    const runsWhenStopped = runs;
    loop.stop();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(most).toBe(1);
    expect(runsWhenStopped).toBeGreaterThan(3);
    // The run that was under way.
    expect(runs).toBe(runsWhenStopped + 1);
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(runs).toBe(runsWhenStopped + 1);
  });

  it('begins the next run its interval after the last one ended', async () => {
    jest.useFakeTimers();
    let runs = 0;
    const loop = new RefreshLoop(async () => void runs++, 1_000);
    await loop.start();
    await jest.advanceTimersByTimeAsync(999);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toBe(2);
    loop.stop();
  });

  it('joins the run under way', async () => {
    let runs = 0;
    const loop = new RefreshLoop(async () => void (await sleep(2, (runs += 1))), 1_000);
    await Promise.all([loop.runNow(), loop.runNow()]);
    expect(runs).toBe(1);
  });
});
