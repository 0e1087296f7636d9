/** Builders of domain values for tests, and waiting. */
export * from './builder';
export * from './held-time-limits';
export * from './key-grant.builder';
export * from './policy-snapshot.builder';
export * from './sponsorship-policy.builder';
export * from './token-listing.builder';
export * from './until';
export * from './user-operation.builder';
