/** Milliseconds that only go forward, whatever happens to the pod's wall clock. */
export type MonotonicClock = () => number;

export const monotonicClock: MonotonicClock = () => performance.now();

/** Unix seconds on chain; `ChainHead` of libs/chain is one. Throws while no block was seen. */
export interface ChainTime {
  nowSeconds(): number;
}
