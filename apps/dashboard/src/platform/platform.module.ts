import { Module, type DynamicModule } from '@nestjs/common';
import { loggerModule, TracingModule } from '@paymaster/nest-kit';
import { ConfigModule } from './config/config.module';
import type { DashboardConfig } from './config/dashboard.config';
import { RetentionModule } from './retention/retention.module';

@Module({})
export class PlatformModule {
  static register(config: Readonly<DashboardConfig>): DynamicModule {
    return {
      module: PlatformModule,
      imports: [
        ConfigModule.register(config),
        loggerModule({ service: 'dashboard', level: config.logLevel }),
        TracingModule.register(config),
        RetentionModule,
      ],
    };
  }
}
