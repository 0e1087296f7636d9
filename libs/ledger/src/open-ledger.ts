import type { Ledger } from './ledger';

/** How a gateway process talks to the ledger. */
export interface LedgerOptions {
  readonly databaseUrl: string;
  /** Connections of this process. Default 4. */
  readonly poolSize?: number;
  /** How many batches of reservations run at once; fewer than `poolSize`. Default 2. */
  readonly maxBatchesInFlight?: number;
  /** Reservations in one round trip. Default 64. */
  readonly maxBatchSize?: number;
  /** How old the head of a chain's cursor may be when reserving; must be less than the contract's withdrawal delay. Default 600. */
  readonly maxLagSeconds?: number;
  /** A call that has no answer by then is an error; milliseconds. Default 1,000. */
  readonly deadlineMs?: number;
  /** How long a call waits for a connection; milliseconds. Default 250. */
  readonly poolWaitMs?: number;
  /** Refusals per second that one paymaster can have recorded. Default 20. */
  readonly maxRefusalsPerSecond?: number;
  /** Hears of trouble that no caller is told in full: outages, errors of the database. */
  readonly onFault?: (message: string, cause: unknown) => void;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Opens the ledger for a gateway. Connects in the background: a database that is down never stops a boot. */
export function openLedger(_options: LedgerOptions): Ledger {
  throw new Error('not there yet');
}
