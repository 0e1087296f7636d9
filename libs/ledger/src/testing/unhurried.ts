/**
 * Long time-outs for tests that are not about deadlines, so that a machine that stalls for seconds changes no outcome.
 */
export const UNHURRIED = { deadlineMs: 60_000, poolWaitMs: 60_000 } as const;

/** The same for settlement's transactions. */
export const UNHURRIED_BOOKS = { statementMs: 60_000, lockMs: 60_000, idleInTransactionMs: 60_000 } as const;
