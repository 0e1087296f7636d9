import { Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { migrateLedger } from '@paymaster/ledger';
import { openSettlementBooks, type SettlementBooks } from '@paymaster/ledger/settlement';
import { Pool } from 'pg';
import { SettlementConfig } from '../config/settlement.config';
import { LedgerMetrics } from '../metrics/ledger-metrics';
import { MetricsModule } from '../metrics/metrics.module';
import { BOOKS } from './books.token';
import { DatabaseHealthCheck } from './database.health-check';
import { createPool } from './pool';

/** Opens the books. It brings the schema to the newest version before anything else starts. */
@Module({
  imports: [MetricsModule],
  providers: [
    {
      provide: Pool,
      inject: [SettlementConfig],
      useFactory: async (config: SettlementConfig) => {
        await migrateLedger(config.databaseUrl);
        return createPool(config);
      },
    },
    {
      provide: BOOKS,
      inject: [Pool, LedgerMetrics],
      useFactory: (pool: Pool, metrics: LedgerMetrics): SettlementBooks => {
        const logger = new Logger('Books');
        return openSettlementBooks({
          pool,
          onFinding: (finding) => {
            metrics.findings.inc({ chain: String(finding.chainId) });
            logger.error(finding, 'ALARM: something landed that the books did not expect');
          },
        });
      },
    },
    DatabaseHealthCheck,
  ],
  exports: [Pool, BOOKS, DatabaseHealthCheck],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly pool: Pool) {}

  /** Closes the pool after everything that uses it has stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
