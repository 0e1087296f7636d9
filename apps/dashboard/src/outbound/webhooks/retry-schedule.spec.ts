import { RETRY_PAUSES_MS, retryPauseMs } from './retry-schedule';

describe('retryPauseMs', () => {
  it('waits longer after every attempt, with at most a fifth on top', () => {
    RETRY_PAUSES_MS.forEach((pause, index) => {
      expect(retryPauseMs(index + 1, () => 0)).toBe(pause);
      expect(retryPauseMs(index + 1, () => 0.999)).toBeLessThanOrEqual(pause * 1.2);
    });
  });

  it('gives up after eight attempts, about 17 hours', () => {
    expect(retryPauseMs(8)).toBeUndefined();
    expect(RETRY_PAUSES_MS.reduce((sum, pause) => sum + pause, 0) / 3_600_000).toBeCloseTo(17.2, 1);
  });
});
