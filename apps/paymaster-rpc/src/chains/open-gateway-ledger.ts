import { openLedger, type Ledger } from '@paymaster/ledger';
import type { Logger } from 'pino';
import type { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import type { LedgerTrouble } from './ledger-trouble';

/** The ledger that the configuration names. A database that is down stops no boot: readiness tells. */
export function openGatewayLedger(config: PaymasterRpcConfig, trouble: LedgerTrouble, logger: Logger): Ledger {
  return openLedger({
    databaseUrl: config.databaseUrl,
    poolSize: config.databasePoolSize,
    maxLagSeconds: config.ledgerMaxLagSeconds,
    onFault: (message, cause) => {
      trouble.heard(cause);
      logger.warn({ fault: trouble.last }, message);
    },
  });
}
