import type { INestApplication } from '@nestjs/common';
import { Transport, type MicroserviceOptions } from '@nestjs/microservices';
import { DASHBOARD_QUEUE } from '@paymaster/messaging';

/**
 * Serves the policy subjects, in a queue group: one dashboard process answers. Connects in the background, so that
 * REST works while NATS is down.
 */
export function startPolicyResponder(app: INestApplication, natsUrl: string): void {
  app.connectMicroservice<MicroserviceOptions>({
    transport: Transport.NATS,
    options: {
      servers: natsUrl.split(',').map((server) => server.trim()),
      name: 'dashboard-responder',
      queue: DASHBOARD_QUEUE,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      reconnectJitter: 100,
    },
  });
  // Only closing the application ends the attempts.
  app.startAllMicroservices().catch(() => undefined);
}
