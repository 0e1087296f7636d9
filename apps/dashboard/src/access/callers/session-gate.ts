import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { Sessions, type OpenSession } from '../people/sessions';
import {
  NotSignedInError,
  SecondFactorRequiredError,
  SignInNotSetUpError,
  WrongOriginError,
} from '../../platform/http/dashboard-errors';
import { RateLimits } from '../../platform/http/rate-limits';
import { sessionTokenOf } from './session-cookie';

/** Lets people in by the cookie of their session, from the dashboard's own page only. */
@Injectable()
export class SessionGate {
  constructor(
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'publicUrl'>,
    private readonly sessions: Sessions,
    private readonly rates: RateLimits,
  ) {}

  /** The text of the session's cookie; empty when there is none, and where people cannot sign in. */
  tokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
    return this.config.publicUrl ? sessionTokenOf(headers.cookie ?? '') : '';
  }

  /**
   * That people can sign in here, and that no other page sends a change: browsers put the page's address into `Origin`,
   * and no page can forge it.
   *
   * @throws {SignInNotSetUpError} {@link WrongOriginError}
   */
  assertOwnPage(request: Pick<FastifyRequest, 'headers' | 'method'>): void {
    const { publicUrl } = this.config;
    if (!publicUrl) throw new SignInNotSetUpError();
    if (isWrite(request) && request.headers.origin !== publicUrl) throw new WrongOriginError();
  }

  /**
   * Whose session it is. A text that is no session's counts as a guess of its address.
   *
   * @param payer for whom the request counts so far; left out when the session is looked for again, which counts no more
   * @throws {SignInNotSetUpError} {@link WrongOriginError} {@link NotSignedInError} {@link SecondFactorRequiredError}
   *   {@link TooManyRequestsError}
   */
  async enter(request: FastifyRequest, payer?: string): Promise<OpenSession> {
    const open = await this.enterWaiting(request, payer);
    if (open.session.waitsForCode) throw new SecondFactorRequiredError();
    return open;
  }

  /** {@link enter}, also with a session that waits for the code of a second factor: only to complete or to end it. */
  async enterWaiting(request: FastifyRequest, payer?: string): Promise<OpenSession> {
    this.assertOwnPage(request);
    const credential = this.tokenOf(request);
    if (!credential) throw new NotSignedInError();
    const open = await this.sessions.find(credential);
    if (!open) {
      this.rates.forget({ address: request.ip, credential });
      throw new NotSignedInError();
    }
    // Who has a first factor alone could else use up what the person may ask.
    if (payer !== undefined && !open.session.waitsForCode)
      this.rates.recognize({ payer, credential, ownerId: open.person.id });
    return open;
  }
}

/** Whether a request changes something, by its method (RFC 9110, section 9.2.1). */
export function isWrite({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return method !== 'GET' && method !== 'HEAD';
}
