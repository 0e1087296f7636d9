import { setTimeout as sleep } from 'node:timers/promises';
import { RefreshLoop } from './refresh-loop';

describe('RefreshLoop', () => {
  it('runs again and again, never two at once, until it is stopped', async () => {
    let underWay = 0;
    let most = 0;
    let runs = 0;
    const loop = new RefreshLoop(async () => {
      most = Math.max(most, ++underWay);
      await sleep(3);
      underWay -= 1;
      runs += 1;
    }, 1);
    await loop.start();
    while (runs < 4) await Promise.all([loop.runNow(), sleep(2)]);
    loop.stop();
    await sleep(10);
    const runsWhenStopped = runs;
    await sleep(20);
    expect(most).toBe(1);
    expect(runs).toBe(runsWhenStopped);
  });

  it('joins the run under way', async () => {
    let runs = 0;
    const loop = new RefreshLoop(async () => void (await sleep(2, (runs += 1))), 1_000);
    await Promise.all([loop.runNow(), loop.runNow()]);
    expect(runs).toBe(1);
  });
});
