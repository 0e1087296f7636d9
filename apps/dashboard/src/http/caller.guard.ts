import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AccountsService } from '../accounts/accounts.service';
import { PaymastersRepository } from '../paymasters/paymasters.repository';
import type { AuthenticatedRequest } from './caller';
import { MissingHeaderError, type DashboardError } from './dashboard-errors';
import { RateLimits } from './rate-limits';

export const AUTHENTICATION_RULES = Symbol('AUTHENTICATION_RULES');

/** How an operation treats its two headers; the sentences differ per operation (interface, "Errors"). */
export interface AuthenticationRules {
  readonly needsApiKey: boolean;
  readonly missingHeader: string;
  readonly unknownAuthToken: new () => DashboardError;
  readonly unknownApiKey: new () => DashboardError;
}

/**
 * Finds out which account calls, and for which of its paymasters. An API key of another account gets the same answer as
 * a key that does not exist.
 */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(AccountsService) private readonly accounts: AccountsService,
    @Inject(PaymastersRepository) private readonly paymasters: PaymastersRepository,
    @Inject(RateLimits) private readonly rates: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rules = this.reflector.get<AuthenticationRules>(AUTHENTICATION_RULES, context.getHandler());
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const authToken = headerOf(request, 'authtoken');
    const apiKey = headerOf(request, 'apikey');
    const payer = this.rates.charge({ address: request.ip, authToken });
    if (!authToken || (rules.needsApiKey && !apiKey)) throw new MissingHeaderError(rules.missingHeader);

    const authenticated = await this.accounts.authenticate(authToken);
    if (!authenticated) {
      this.rates.forget({ address: request.ip, authToken });
      throw new rules.unknownAuthToken();
    }
    const { account, tokenId } = authenticated;
    this.rates.recognize({ payer, authToken, account });
    request.account = account;
    request.authTokenId = tokenId;
    if (!rules.needsApiKey) return true;

    const paymaster = await this.paymasters.findByApiKey(account.id, apiKey);
    if (!paymaster) throw new rules.unknownApiKey();
    request.paymaster = paymaster;
    request.apiKey = apiKey;
    return true;
  }
}

/** A header's value. A header that is sent twice arrives as one value, joined by a comma, and so matches no key. */
function headerOf(request: AuthenticatedRequest, lowerCaseName: string): string {
  const value = request.headers[lowerCaseName];
  return typeof value === 'string' ? value.trim() : '';
}
