import { Module, type DynamicModule } from '@nestjs/common';
import { HealthModule } from '@paymaster/nest-kit';
import { AccessModule } from './access/access.module';
import { ActivityModule } from './activity/activity.module';
import { OperationsConsumer } from './activity/operations/operations.consumer';
import { OperationsModule } from './activity/operations/operations.module';
import { DashboardMetricsModule } from './metrics/metrics.module';
import { OperatorModule } from './operator/operator.module';
import { OutboundModule } from './outbound/outbound.module';
import type { DashboardConfig } from './platform/config/dashboard.config';
import { DatabaseHealthCheck } from './platform/database/database.health-check';
import { PlatformModule } from './platform/platform.module';
import { PolicyChangePublisher } from './programs/policy-changes/policy-change.publisher';
import { PolicyChangesModule } from './programs/policy-changes/policy-changes.module';
import { ProgramsModule } from './programs/programs.module';
import { DatabaseModule } from './schema/database.module';

/** The whole service, made of one module per area. */
@Module({})
export class AppModule {
  static register(config: Readonly<DashboardConfig>): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.register(config),
        DatabaseModule,
        AccessModule,
        ProgramsModule,
        OutboundModule,
        ActivityModule,
        OperatorModule,
        DashboardMetricsModule,
        HealthModule.register({
          imports: [DatabaseModule, PolicyChangesModule, OperationsModule],
          checks: [DatabaseHealthCheck, PolicyChangePublisher, OperationsConsumer],
          monitorPort: config.monitorPort,
        }),
      ],
    };
  }
}
