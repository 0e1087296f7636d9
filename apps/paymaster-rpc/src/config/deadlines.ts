/**
 * How long the gateway waits for those it asks; milliseconds. What is absent is what a client cannot wait beyond.
 * Tests that are not about waiting give more, so that a machine that stands still for a moment is no outage.
 */
export interface Deadlines {
  /** A whole request. */
  readonly requestMs?: number;
  /** A call of the ledger, and a connection for it. */
  readonly ledgerMs?: number;
  /** The dashboard's answer about a policy. */
  readonly policyMs?: number;
  /** The decision of an owner's server. */
  readonly decisionMs?: number;
}
