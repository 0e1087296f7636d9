export { eventually } from '@paymaster/domain/testing';

/** Far beyond what anything here takes, also on a machine that stands still now and then; milliseconds. */
export const PATIENCE_MS = 60_000;

/**
 * How soon a change in the dashboard is obeyed; milliseconds. It takes some; what is promised is a second. More is
 * allowed to a machine that stands still, but less than the 7 s after which the gateway looks for itself.
 */
export const OBEYED_MS = 6_000;
