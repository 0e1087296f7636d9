import { Injectable } from '@nestjs/common';
import { openLedger, type Ledger } from '@paymaster/ledger';
import type { Logger } from 'pino';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';

/** Injection token of the one `Ledger` of this process. */
export const LEDGER = Symbol('LEDGER');

/** The last fault of the ledger. Callers only learn that the ledger is down; operators read the reason here. */
@Injectable()
export class LastLedgerFault {
  last: string | undefined;

  heard(cause: unknown): void {
    // If a host has several addresses, each has an error of its own.
    const [first] = cause instanceof AggregateError ? (cause.errors as unknown[]) : [cause];
    this.last = first instanceof Error ? first.message : 'unknown';
  }
}

/**
 * Opens the ledger of the configuration. If the database is down, the gateway still starts and readiness reports it.
 *
 * @param onBatch called for each batch of reservations
 * @param deadlineMs how long a call and its connection may take
 */
export function openGatewayLedger(
  config: PaymasterRpcConfig,
  {
    trouble,
    logger,
    onBatch,
    deadlineMs,
  }: {
    trouble: LastLedgerFault;
    logger: Logger;
    onBatch: (size: number, seconds: number) => void;
    deadlineMs: number;
  },
): Ledger {
  return openLedger({
    databaseUrl: config.databaseUrl,
    poolSize: config.databasePoolSize,
    maxLagSeconds: config.ledgerMaxLagSeconds,
    poolWaitMs: deadlineMs,
    deadlineMs,
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
