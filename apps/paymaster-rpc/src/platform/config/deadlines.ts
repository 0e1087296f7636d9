/** How long the gateway waits for the services that it asks; milliseconds. */
export interface Deadlines {
  /** A whole request. */
  readonly requestMs: number;
  /** A call of the ledger, and a connection for it. */
  readonly ledgerMs: number;
  /** The dashboard's answer about a policy. */
  readonly policyMs: number;
  /** The decision of an owner's server. */
  readonly decisionMs: number;
  /** The trial of an operation's validation before it is sent to a bundler. */
  readonly trialMs: number;
}

/**
 * The longest that clients can wait. Tests that are not about waiting set higher values, so that a machine that stalls
 * for a moment does not look like an outage.
 */
export const DEFAULT_DEADLINES: Deadlines = {
  requestMs: 5_000,
  // If no server listens, a connection is refused at once.
  ledgerMs: 1_000,
  policyMs: 1_000,
  decisionMs: 3_000,
  trialMs: 1_500,
};

export const DEADLINES = Symbol('DEADLINES');
