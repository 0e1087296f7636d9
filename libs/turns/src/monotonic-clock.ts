/** Milliseconds that only go forward, whatever happens to the pod's wall clock. */
export type MonotonicClock = () => number;

export const monotonicClock: MonotonicClock = () => performance.now();
