import { Module, type DynamicModule } from '@nestjs/common';
import { SettlementConfig } from './settlement.config';

/** Hands the validated configuration to whoever asks for {@link SettlementConfig}. */
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
