import { Module, type DynamicModule } from '@nestjs/common';
import { DashboardConfig } from './dashboard.config';

/** Hands the validated configuration to whoever asks for {@link DashboardConfig}. */
@Module({})
export class ConfigModule {
  static register(config: Readonly<DashboardConfig>): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: DashboardConfig, useValue: config }],
      exports: [DashboardConfig],
    };
  }
}
