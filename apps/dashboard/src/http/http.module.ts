import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { BodyPipe } from './body.pipe';
import { ErrorEnvelopeFilter } from './error-envelope.filter';
import { KnownRoutes } from './known-routes';
import { RateLimits } from './rate-limits';

/** What every route shares: rate limits, the check of bodies and the shape of errors. */
@Global()
@Module({
  providers: [
    KnownRoutes,
    RateLimits,
    { provide: APP_PIPE, useClass: BodyPipe },
    { provide: APP_FILTER, useClass: ErrorEnvelopeFilter },
  ],
  exports: [KnownRoutes, RateLimits],
})
export class HttpModule {}
