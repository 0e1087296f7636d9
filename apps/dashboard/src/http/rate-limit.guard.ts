import { Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { hashAuthToken, isAuthTokenShaped } from '../accounts/auth-token';

/** Counts requests per authToken, and per client address where there is none that could be one. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override getTracker(request: FastifyRequest): Promise<string> {
    const authToken = request.headers['authtoken'];
    const tracker =
      typeof authToken === 'string' && isAuthTokenShaped(authToken) ? hashAuthToken(authToken) : `ip:${request.ip}`;
    return Promise.resolve(tracker);
  }

  /** One budget for all operations, not one for each. */
  protected override generateKey(_context: unknown, tracker: string): string {
    return tracker;
  }
}
