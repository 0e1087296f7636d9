import { Module, type DynamicModule } from '@nestjs/common';
import { loggerModule, TracingModule } from '@paymaster/nest-kit';
import { DEADLINES } from './config/deadlines';
import { OPENED, type Opened } from './config/opened';
import { PaymasterRpcConfig } from './config/paymaster-rpc.config';
import { APP_LOGGER, appLoggerProvider } from './logging/app-logger';

/** Provides the parts that were opened before the start, and the logger, to every module. */
@Module({})
export class PlatformModule {
  static register(config: PaymasterRpcConfig, opened: Opened): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      imports: [
        loggerModule({ service: 'paymaster-rpc', level: config.logLevel, perRequest: false, buffered: true }),
        TracingModule.register(config),
      ],
      providers: [
        { provide: PaymasterRpcConfig, useValue: config },
        { provide: OPENED, useValue: opened },
        { provide: DEADLINES, useValue: opened.deadlines },
        appLoggerProvider,
      ],
      exports: [PaymasterRpcConfig, OPENED, DEADLINES, APP_LOGGER],
    };
  }
}
