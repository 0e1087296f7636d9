import { openLedger, type Ledger } from '@paymaster/ledger';
import type { Logger } from 'pino';
import type { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import type { LedgerTrouble } from './ledger-trouble';

/**
 * How long a connection may take to open; milliseconds. A busy machine takes its time, and one that takes longer is an
 * outage for everybody; a server that is not there says so at once.
 */
const POOL_WAIT_MS = 1_000;

/**
 * The ledger that the configuration names. A database that is down stops no boot: readiness tells.
 *
 * @param onBatch hears of each batch of reservations
 * @param deadlineMs how long a call and its connection may take; what clients can wait for when absent
 */
export function openGatewayLedger(
  config: PaymasterRpcConfig,
  {
    trouble,
    logger,
    onBatch,
    deadlineMs,
  }: {
    trouble: LedgerTrouble;
    logger: Logger;
    onBatch: (size: number, seconds: number) => void;
    deadlineMs?: number | undefined;
  },
): Ledger {
  return openLedger({
    databaseUrl: config.databaseUrl,
    poolSize: config.databasePoolSize,
    maxLagSeconds: config.ledgerMaxLagSeconds,
    poolWaitMs: deadlineMs ?? POOL_WAIT_MS,
    ...(deadlineMs !== undefined && { deadlineMs }),
    onBatch,
    onStop: ({ lostWei, ...stopped }) =>
      logger.warn(
        { ...stopped, lostWei: lostWei.toString() },
        'the spending brake stopped a paymaster: it would lose more than half of its funding wallet within an hour',
      ),
    onFault: (message, cause) => {
      trouble.heard(cause);
      logger.warn({ fault: trouble.last }, message);
    },
  });
}
