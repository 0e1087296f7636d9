import { Module } from '@nestjs/common';
import type { Ledger } from '@paymaster/ledger';
import type { Logger } from 'pino';
import { OPENED, type Opened } from '../platform/config/opened';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { APP_LOGGER } from '../platform/logging/app-logger';
import { LedgerHealth } from './ledger-health';
import { LastLedgerFault, LEDGER, openGatewayLedger } from './open-gateway-ledger';
import { PricesHealth } from './prices-health';
import { ReserveMetrics } from './reserve-metrics';
import { CHAIN_CONFIGS, ServedChains, SIGNERS } from './served-chains';

@Module({
  providers: [
    { provide: CHAIN_CONFIGS, inject: [OPENED], useFactory: ({ chains }: Opened) => chains },
    { provide: SIGNERS, inject: [OPENED], useFactory: ({ signers }: Opened) => signers },
    {
      provide: LEDGER,
      inject: [OPENED, PaymasterRpcConfig, LastLedgerFault, APP_LOGGER, ReserveMetrics],
      useFactory: (
        { ledger, deadlines }: Opened,
        config: PaymasterRpcConfig,
        trouble: LastLedgerFault,
        logger: Logger,
        { decided }: ReserveMetrics,
      ): Ledger =>
        ledger ?? openGatewayLedger(config, { trouble, logger, onBatch: decided, deadlineMs: deadlines.ledgerMs }),
    },
    LedgerHealth,
    LastLedgerFault,
    PricesHealth,
    ReserveMetrics,
    ServedChains,
  ],
  exports: [LEDGER, LedgerHealth, PricesHealth, ServedChains, SIGNERS],
})
export class ChainsModule {}
