import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { OpenSession } from '../people/sessions';
import { AccountTurns } from './account-turns';
import type { AuthenticatedRequest } from './caller';
import { NotAllowedError } from '../../platform/http/dashboard-errors';
import { RateLimits } from '../../platform/http/rate-limits';
import { SessionGate } from './session-gate';

export const OPERATORS_ONLY = 'Only the operator of this installation may do this';

/** Finds out which person calls, by the cookie of the session, on routes that are about no account. */
@Injectable()
export class PersonGuard implements CanActivate {
  constructor(
    protected readonly gate: SessionGate,
    private readonly rates: RateLimits,
    private readonly turns: AccountTurns,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const payer = this.rates.charge({ address: request.ip, credential: this.gate.tokenOf(request) });
    request.openSession = await this.admit(request, payer);
    this.turns.checkAfterWaiting(request.raw, () => this.admit(request));
    return true;
  }

  /** @throws {DashboardError} for a caller who may not do this */
  protected admit(request: AuthenticatedRequest, payer?: string): Promise<OpenSession> {
    return this.gate.enter(request, payer);
  }
}

/** Lets in people who are signed in, and those whose session waits for the code of a second factor. */
@Injectable()
export class WaitingPersonGuard extends PersonGuard {
  protected override admit(request: AuthenticatedRequest, payer?: string): Promise<OpenSession> {
    return this.gate.enterWaiting(request, payer);
  }
}

/** Lets in people who operate the installation; to all others, every route of the operator answers the same. */
@Injectable()
export class OperatorGuard extends PersonGuard {
  protected override async admit(request: AuthenticatedRequest, payer?: string): Promise<OpenSession> {
    const open = await super.admit(request, payer);
    if (!open.person.isOperator) throw new NotAllowedError(OPERATORS_ONLY);
    return open;
  }
}

/** Lets in visitors who are about to sign in. Their requests count for their address, and wait while it is slowed down. */
@Injectable()
export class VisitorGuard implements CanActivate {
  constructor(
    private readonly gate: SessionGate,
    private readonly rates: RateLimits,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    this.rates.charge({ address: request.ip, credential: '' });
    this.gate.assertOwnPage(request);
    return true;
  }
}
