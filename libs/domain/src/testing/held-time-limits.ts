/** Time limits that pass when the test says. */
export interface HeldTimeLimits {
  pass(milliseconds: number): Promise<void>;
}

/**
 * Stops the clock of `setTimeout`, and of nothing else: sockets and promises go on. So no answer is late because the
 * machine stood still for a moment, and what hangs is late when the test says. `jest.useRealTimers()` ends it.
 */
export function holdTimeLimits(): HeldTimeLimits {
  jest.useFakeTimers({
    doNotFake: [
      ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
    ],
  });
  return { pass: (milliseconds) => jest.advanceTimersByTimeAsync(milliseconds) };
}
