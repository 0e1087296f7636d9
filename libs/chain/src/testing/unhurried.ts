/**
 * Time limits for readers of a chain in tests that are not about time limits. They are longer than a machine may stall,
 * so that no call times out and no second provider is asked for that reason.
 */
export const UNHURRIED = { callTimeoutMs: 60_000, hedgeMs: 60_000, totalTimeoutMs: 120_000 } as const;
