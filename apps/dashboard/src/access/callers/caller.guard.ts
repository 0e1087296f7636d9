import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Account } from '../accounts/account';
import { AccountsService } from '../accounts/accounts.service';
import type { Actor } from '../../platform/audit/actor';
import type { Paymaster } from '../paymasters/paymaster';
import { PaymastersRepository } from '../paymasters/paymasters.repository';
import { PeopleRepository } from '../people/people.repository';
import {
  LEFT_WITHOUT_SECOND_FACTOR,
  lacksSecondFactor,
  needsMetByRole,
  needsMetByToken,
  type Need,
} from '../people/role';
import { AccountTurns } from './account-turns';
import type { AuthenticatedRequest } from './caller';
import {
  AccountNotFoundError,
  MissingHeaderError,
  NotAllowedError,
  UserNotFoundError,
  type DashboardError,
} from '../../platform/http/dashboard-errors';
import { RateLimits } from '../../platform/http/rate-limits';
import { needOf } from './needs-of-routes';
import { SessionGate } from './session-gate';

export const AUTHENTICATION_RULES = Symbol('AUTHENTICATION_RULES');

/** How an operation treats its headers; the sentences differ per operation (interface, "Errors"). */
export interface AuthenticationRules {
  /** The operation is about a paymaster, which `apiKey` or `paymasterId` names. */
  readonly needsApiKey: boolean;
  /** Auth tokens reach the operation, and not people only. */
  readonly byToken: boolean;
  readonly missingHeader: string;
  readonly unknownAuthToken: new () => DashboardError;
  readonly unknownApiKey: new () => DashboardError;
}

/** What a caller sent. */
interface Sent {
  readonly request: AuthenticatedRequest;
  /** Empty for a person with a session. */
  readonly authToken: string;
  readonly rules: AuthenticationRules;
  /** For whom the request counts so far; left out when the caller is found out again, which counts no more. */
  readonly payer?: string;
}

/** Who calls, for an account. */
interface Caller {
  readonly account: Account;
  readonly actor: Actor;
  readonly may: readonly Need[];
  /** What is said to a caller who may not. */
  readonly refusal: string;
  /** The one paymaster that an auth token is for. */
  readonly onlyPaymasterId: string | null;
}

/**
 * Finds out which account is called for, by whom, and for which of its paymasters: by the header `authToken`, else by the
 * cookie of a session with the header `accountId`. What is another account's gets the same answer as what does not exist.
 */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accounts: AccountsService,
    private readonly paymasters: PaymastersRepository,
    private readonly people: PeopleRepository,
    private readonly gate: SessionGate,
    private readonly rates: RateLimits,
    private readonly turns: AccountTurns,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rules = this.reflector.get<AuthenticationRules>(AUTHENTICATION_RULES, context.getHandler());
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const authToken = headerOf(request, 'authtoken');
    const credential = authToken || this.gate.tokenOf(request);
    const payer = this.rates.charge({ address: request.ip, credential });
    const namesPaymaster = headerOf(request, 'apikey') !== '' || headerOf(request, 'paymasterid') !== '';
    if (!credential || (rules.needsApiKey && !namesPaymaster)) throw new MissingHeaderError(rules.missingHeader);
    await this.admit({ request, authToken, rules, payer });
    this.turns.checkAfterWaiting(request.raw, () => this.admit({ request, authToken, rules }));
    return true;
  }

  /** @throws {DashboardError} for a caller who may not do this */
  private async admit(sent: Sent): Promise<void> {
    const { request, authToken, rules } = sent;
    const need = needOf({ method: request.method, url: request.routeOptions.url });
    const caller = await (authToken ? this.tokenHolder(sent) : this.member(sent, need));
    if (!caller.may.includes(need)) throw new NotAllowedError(caller.refusal);
    request.account = caller.account;
    request.actor = caller.actor;
    request.may = caller.may;
    if (rules.needsApiKey) {
      request.paymaster = await this.paymasterOf(request, caller, rules);
      request.apiKey = headerOf(request, 'apikey');
    } else refuseOtherPaymasters(request, caller);
  }

  private async tokenHolder({ request, authToken: credential, payer, rules }: Sent): Promise<Caller> {
    const authenticated = await this.accounts.authenticate(credential);
    if (!authenticated) {
      this.rates.forget({ address: request.ip, credential });
      throw new rules.unknownAuthToken();
    }
    const { account, tokenId, scope, paymasterId: onlyPaymasterId } = authenticated;
    if (payer !== undefined) this.rates.recognize({ payer, credential, ownerId: account.id });
    return {
      ...{ account, actor: { accountId: account.id, tokenId }, onlyPaymasterId },
      may: needsMetByToken(scope),
      refusal: scope === 'read' ? 'This auth token may only read' : 'Only people may do this: sign in to the page',
    };
  }

  private async member({ request, payer }: Sent, need: Need): Promise<Caller> {
    const open = await this.gate.enter(request, payer);
    const { person, session } = open;
    const accountId = headerOf(request, 'accountid');
    if (!accountId) throw new MissingHeaderError('Account ID is required in the headers');
    const membership = await this.people.membershipIn(person.id, accountId);
    if (!membership) throw new AccountNotFoundError();
    request.openSession = open;
    const { account, roleName } = membership;
    const caller = { account, actor: { accountId: account.id, personId: person.id }, onlyPaymasterId: null };
    const may = needsMetByRole(membership);
    const ofRole = { ...caller, may, refusal: `Your role in this account, ${roleName}, does not allow this` };
    if (!lacksSecondFactor(membership, session)) return ofRole;
    const left = may.filter((each) => LEFT_WITHOUT_SECOND_FACTOR.includes(each));
    return { ...ofRole, may: left, ...(may.includes(need) && { refusal: SECOND_FACTOR_WANTED }) };
  }

  private async paymasterOf(
    request: AuthenticatedRequest,
    { account, onlyPaymasterId }: Caller,
    rules: AuthenticationRules,
  ): Promise<Paymaster> {
    const [apiKey, paymasterId] = [headerOf(request, 'apikey'), headerOf(request, 'paymasterid').toLowerCase()];
    const paymaster = await (apiKey
      ? this.paymasters.findByApiKey(account.id, apiKey)
      : this.paymasters.findById(account.id, paymasterId));
    const isNamedTwice = paymasterId !== '' && paymasterId !== paymaster?.id;
    if (!paymaster || isNamedTwice || (onlyPaymasterId !== null && onlyPaymasterId !== paymaster.id)) {
      throw new rules.unknownApiKey();
    }
    return paymaster;
  }
}

const SECOND_FACTOR_WANTED =
  'This account wants a second factor for this: add one on the screen You, or sign in with a passkey';

/**
 * On a route of the account, a token of one paymaster reaches only what its path names by that paymaster's id.
 *
 * @throws {UserNotFoundError} for another paymaster, as if it were unknown
 * @throws {NotAllowedError} on a route about the account as a whole
 */
function refuseOtherPaymasters({ params }: AuthenticatedRequest, { onlyPaymasterId }: Caller): void {
  if (onlyPaymasterId === null) return;
  const { paymasterId } = params as { paymasterId?: string };
  if (paymasterId === undefined) throw new NotAllowedError('This auth token is for one paymaster only');
  if (paymasterId.toLowerCase() !== onlyPaymasterId) throw new UserNotFoundError();
}

/** A header's value. A header that is sent twice arrives as one value, joined by a comma, and so matches no key. */
function headerOf(request: AuthenticatedRequest, lowerCaseName: string): string {
  const value = request.headers[lowerCaseName];
  return typeof value === 'string' ? value.trim() : '';
}
