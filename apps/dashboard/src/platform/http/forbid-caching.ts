import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Forbids proxies to cache answers. An answer contains API keys, secrets and records of one account. HTTP allows a
 * proxy to keep the answer to a GET for other clients, because it does not know that the header `authToken` selects the
 * account.
 */
export function forbidCaching(app: NestFastifyApplication): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (_request, reply, done) => {
      void reply.header('cache-control', 'no-store');
      done();
    });
}
