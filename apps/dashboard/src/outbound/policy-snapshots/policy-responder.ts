import type { INestApplication } from '@nestjs/common';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { DASHBOARD_QUEUE, natsConnectionOptions, type NatsSettings } from '@paymaster/messaging';
import type { DashboardConfig } from '../../platform/config/dashboard.config';
import { ResilientNatsServer } from './resilient-nats-server';

/**
 * Serves the policy subjects, in a queue group: one dashboard process answers, as many questions at a time as it has
 * connections to the database. Connects in the background, so that
 * REST works while NATS is down.
 */
export function startPolicyResponder(
  app: INestApplication,
  config: NatsSettings & Pick<DashboardConfig, 'databasePoolSize'>,
): void {
  const options = { ...natsConnectionOptions(config, 'dashboard-responder'), queue: DASHBOARD_QUEUE };
  app.connectMicroservice<MicroserviceOptions>({ strategy: new ResilientNatsServer(options, config.databasePoolSize) });
  // Only closing the application ends the attempts.
  app.startAllMicroservices().catch(() => undefined);
}
