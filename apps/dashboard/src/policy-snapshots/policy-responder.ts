import type { INestApplication } from '@nestjs/common';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { DASHBOARD_QUEUE, natsConnectionOptions, type NatsSettings } from '@paymaster/messaging';
import { ResilientNatsServer } from './resilient-nats-server';

/**
 * Serves the policy subjects, in a queue group: one dashboard process answers. Connects in the background, so that
 * REST works while NATS is down.
 */
export function startPolicyResponder(app: INestApplication, settings: NatsSettings): void {
  const options = { ...natsConnectionOptions(settings, 'dashboard-responder'), queue: DASHBOARD_QUEUE };
  app.connectMicroservice<MicroserviceOptions>({ strategy: new ResilientNatsServer(options) });
  // Only closing the application ends the attempts.
  app.startAllMicroservices().catch(() => undefined);
}
