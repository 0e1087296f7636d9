/** Keeps what is slow, failing or busy from taking what others need: deadlines, breakers, retries and turns. */
export * from './call-gate';
export * from './circuit-breaker';
export * from './client-turns';
export * from './deadline';
export * from './monotonic-clock';
export * from './retry-budget';
