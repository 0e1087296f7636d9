import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp } from '@paymaster/nest-kit';
import { AppModule } from './app.module';
import type { SettlementConfig } from './config/settlement.config';

/** Clients only ask for health and metrics, so bodies can be small. */
const BODY_LIMIT_BYTES = 1_024;

/** The service, ready to listen. */
export function createApp(config: Readonly<SettlementConfig>): Promise<NestFastifyApplication> {
  return createHttpApp(AppModule.register(config), { bodyLimitBytes: BODY_LIMIT_BYTES });
}
