import { Module, type DynamicModule } from '@nestjs/common';
import { HealthModule, loggerModule, TracingModule } from '@paymaster/nest-kit';
import { ConfigModule } from './config/config.module';
import type { SettlementConfig } from './config/settlement.config';
import { DatabaseHealthCheck } from './database/database.health-check';
import { DatabaseModule } from './database/database.module';
import { ChainFollowers } from './following/chain-followers.service';
import { FollowingModule } from './following/following.module';
import { GaugesModule } from './gauges/gauges.module';
import { MetricsModule } from './metrics/metrics.module';
import { OutboxModule } from './outbox/outbox.module';
import { OutboxPublisherService } from './outbox/outbox-publisher.service';
import { ReconciliationModule } from './reconciliation/reconciliation.module';
import { SweepingModule } from './sweeping/sweeping.module';

/**
 * The whole service. It follows chains, publishes events and compares the books with the chain, each in the background.
 */
@Module({})
export class AppModule {
  static register(config: Readonly<SettlementConfig>): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(config),
        loggerModule({ service: 'settlement', level: config.logLevel, quietPaths: ['/health', '/metrics'] }),
        TracingModule.register(config),
        MetricsModule,
        DatabaseModule,
        FollowingModule,
        OutboxModule,
        ReconciliationModule,
        SweepingModule,
        GaugesModule,
        HealthModule.register({
          imports: [DatabaseModule, FollowingModule, OutboxModule],
          checks: [DatabaseHealthCheck, ChainFollowers, OutboxPublisherService],
        }),
      ],
    };
  }
}
