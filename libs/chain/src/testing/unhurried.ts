/**
 * For readers of a chain in tests that are not about time limits: longer than a machine stands still, and than another
 * provider need be asked because of that.
 */
export const UNHURRIED = { callTimeoutMs: 60_000, hedgeMs: 60_000, totalTimeoutMs: 120_000 } as const;
