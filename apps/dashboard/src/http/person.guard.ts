import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AccountTurns } from './account-turns';
import type { AuthenticatedRequest } from './caller';
import { RateLimits } from './rate-limits';
import { SessionGate } from './session-gate';

/** Finds out which person calls, by the cookie of the session, on routes that are about no account. */
@Injectable()
export class PersonGuard implements CanActivate {
  constructor(
    @Inject(SessionGate) private readonly gate: SessionGate,
    @Inject(RateLimits) private readonly rates: RateLimits,
    @Inject(AccountTurns) private readonly turns: AccountTurns,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const payer = this.rates.charge({ address: request.ip, credential: this.gate.tokenOf(request) });
    request.openSession = await this.gate.enter(request, payer);
    this.turns.checkAfterWaiting(request.raw, () => this.gate.enter(request));
    return true;
  }
}

/** Lets in visitors who are about to sign in. Their requests count for their address, and wait while it is slowed down. */
@Injectable()
export class VisitorGuard implements CanActivate {
  constructor(
    @Inject(SessionGate) private readonly gate: SessionGate,
    @Inject(RateLimits) private readonly rates: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    this.rates.charge({ address: request.ip, credential: '' });
    this.gate.assertOwnPage(request);
    return true;
  }
}
