import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Answers hold API keys, secrets and one account's records, and caches do not know that `authToken` says whose they are:
 * by HTTP's own rules a proxy may keep the answer to a GET and give it to somebody else.
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
