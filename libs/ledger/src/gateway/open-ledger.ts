import { BrakeReader } from './brake-reader';
import { CursorReader } from './cursor-reader';
import { Database } from './database';
import { NetworkReader } from './network-reader';
import { OutcomeReader } from './outcome-reader';
import { PostgresLedger } from './postgres-ledger';
import { RefusalRecorder } from './refusal-recorder';
import { ReservationQueue, type StoppedPaymaster } from './reservation-queue';
import { SentOperationRows } from './sent-operation-rows';
import { WalletReader } from './wallet-reader';

/** How a gateway process talks to the ledger. */
export interface LedgerOptions {
  readonly databaseUrl: string;
  /** Connections of this process. Default 4. */
  readonly poolSize?: number;
  /** How many batches of reservations run at once; fewer than `poolSize`. Default 2. */
  readonly maxBatchesInFlight?: number;
  /** How old the head of a chain's cursor may be when reserving; less than the contract's withdrawal delay. Default 600. */
  readonly maxLagSeconds?: number;
  /** A call without an answer after this time fails; milliseconds. Default 1,000. */
  readonly deadlineMs?: number;
  /** How long after the deadline the server may still report that it was missed; milliseconds. Default 250. */
  readonly answerGraceMs?: number;
  /** How long a call waits for a connection; milliseconds. Default 250. */
  readonly poolWaitMs?: number;
  /** Called for outages and errors of the database, because callers do not see their details. */
  readonly onFault?: (message: string, cause: unknown) => void;
  /** Called for each batch that Postgres has decided, with the number of reservations and the duration. For metrics. */
  readonly onBatch?: (size: number, seconds: number) => void;
  /** Called once for each time that a request of this process made the spending brake stop a paymaster. */
  readonly onStop?: (stopped: StoppedPaymaster) => void;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/**
 * Opens the ledger for a gateway. Connects in the background, so that a database that is down never stops a boot.
 *
 * @example
 * const ledger = openLedger({ databaseUrl, onFault: (message, cause) => logger.error({ cause }, message) });
 * const reservationId = await ledger.reserve(request); // before signing
 */
export function openLedger(options: LedgerOptions): PostgresLedger {
  const { databaseUrl, poolSize = 4, maxBatchesInFlight = 2, maxLagSeconds = 600 } = options;
  const { deadlineMs = 1_000, answerGraceMs = 250, poolWaitMs = 250 } = options;
  const { onFault = () => undefined, onBatch = () => undefined, onStop = () => undefined, clock = Date.now } = options;
  const database = new Database({ databaseUrl, poolSize, deadlineMs, answerGraceMs, poolWaitMs, onFault });
  return new PostgresLedger({
    database,
    queue: new ReservationQueue(database, {
      maxBatchesInFlight,
      maxLagSeconds,
      deadlineMs,
      onBatch,
      onStop,
    }),
    wallets: new WalletReader(database, clock),
    brakes: new BrakeReader(database, clock),
    networks: new NetworkReader(database, clock),
    cursors: new CursorReader(database, clock),
    outcomes: new OutcomeReader(database, clock),
    refusals: new RefusalRecorder(database, { clock }),
    sent: new SentOperationRows(database),
  });
}
