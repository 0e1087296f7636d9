import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { LongWork } from '@paymaster/nest-kit';
import { PeopleModule } from '../people/people.module';
import { AccountTurns } from './account-turns';
import { AccountTurnsInterceptor } from './account-turns.interceptor';
import { EnvelopeInterceptor } from '../../platform/http/envelope.interceptor';
import { RequestPipe } from '../../platform/http/request.pipe';
import { ErrorEnvelopeFilter } from '../../platform/http/error-envelope.filter';
import { KnownRoutes } from '../../platform/http/known-routes';
import { RateLimits } from '../../platform/http/rate-limits';
import { InPiecesInterceptor } from './in-pieces.interceptor';
import { SessionGate } from './session-gate';

/** What every route shares: sessions, rate limits, turns, the check of bodies and the shape of errors. */
@Global()
@Module({
  imports: [PeopleModule],
  providers: [
    AccountTurns,
    KnownRoutes,
    LongWork,
    RateLimits,
    SessionGate,
    // In this order around each other: an answer is written in pieces with its envelope.
    { provide: APP_INTERCEPTOR, useClass: AccountTurnsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: InPiecesInterceptor },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_PIPE, useClass: RequestPipe },
    { provide: APP_FILTER, useClass: ErrorEnvelopeFilter },
  ],
  exports: [AccountTurns, KnownRoutes, LongWork, PeopleModule, RateLimits, SessionGate],
})
export class HttpModule {}
