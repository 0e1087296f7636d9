import type { QueueBounds, TurnBounds } from '@paymaster/turns';

/**
 * Bounds on simulations that run at the same time at bundler and node. A few simulations of looping code keep both
 * busy. So a client gets few enough that half of a small node remains for the others, and a paymaster gets a quarter of
 * all.
 */
export const SIMULATIONS: TurnBounds = { perClient: 2, perPaymaster: 8, inAll: 32 };
/** A request that waits this long for a turn still has time for the bundler's answer. */
export const WAITING: QueueBounds = { perClient: 16, perPaymaster: 128, inAll: 512, longestMs: 2_000 };

/**
 * Bounds on requests to the operator's bundlers at the same time. There are fewer than a bundler has connections, so
 * that no request waits inside the bundler. Signatures do not wait for these turns.
 */
export const SENDS: TurnBounds = { perClient: 16, perPaymaster: 32, inAll: 48 };
export const WAITING_TO_SEND: QueueBounds = { perClient: 256, perPaymaster: 512, inAll: 1_024, longestMs: 1_500 };
/** Bounds on validations of operations that are about to be sent, at the same time at the node. One takes milliseconds. */
export const TRIALS: TurnBounds = { perClient: 4, perPaymaster: 8, inAll: 16 };
/** Bounds on what clients read of the chain at the same time; calls run strangers' code. */
export const READS: TurnBounds = { perClient: 4, perPaymaster: 16, inAll: 32 };
