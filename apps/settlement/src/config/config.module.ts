import { Module, type DynamicModule } from '@nestjs/common';
import { SettlementConfig } from './settlement.config';

/** Provides the validated {@link SettlementConfig} to every module. */
@Module({})
export class ConfigModule {
  static register(config: Readonly<SettlementConfig>): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: SettlementConfig, useValue: config }],
      exports: [SettlementConfig],
    };
  }
}
