import { Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { BodyPipe } from './body.pipe';
import { ErrorEnvelopeFilter } from './error-envelope.filter';
import { KnownRoutes } from './known-routes';

/** What every route shares: the check of bodies and the shape of errors. */
@Module({
  providers: [
    KnownRoutes,
    { provide: APP_PIPE, useClass: BodyPipe },
    { provide: APP_FILTER, useClass: ErrorEnvelopeFilter },
  ],
  exports: [KnownRoutes],
})
export class HttpModule {}
