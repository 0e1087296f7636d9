import { Inject, Injectable } from '@nestjs/common';
import { TokenBuckets } from '@paymaster/nest-kit';
import { LRUCache } from 'lru-cache';
import type { Account } from '../accounts/account';
import { hashAuthToken, isAuthTokenShaped } from '../accounts/auth-token';
import { DashboardConfig } from '../config/dashboard.config';
import { TooManyRequestsError } from './dashboard-errors';

const MAX_KNOWN_TOKENS = 10_000;

export interface Admission {
  readonly address: string;
  readonly authToken: string;
}

/**
 * Who pays for a request in the rate limit: the client's address until the authToken has proven good, then its
 * account. Tokens that were good lately pay by account at once, so that guesses from an address that many share do
 * not lock its accounts out. In this process only, and bounded in memory however many tokens are made up.
 */
@Injectable()
export class RateLimits {
  private readonly buckets: TokenBuckets | undefined;
  /** Account ids by token hash. A hint about who pays, never a proof of who calls. */
  private readonly known = new LRUCache<string, string>({ max: MAX_KNOWN_TOKENS });

  constructor(
    @Inject(DashboardConfig)
    { rateLimitPerTokenPerMinute: perMinute }: Pick<DashboardConfig, 'rateLimitPerTokenPerMinute'>,
  ) {
    this.buckets = perMinute > 0 ? new TokenBuckets({ perSecond: perMinute / 60, capacity: perMinute }) : undefined;
  }

  /** Before anything is looked up. @returns who paid @throws {TooManyRequestsError} */
  charge({ address, authToken }: Admission): string {
    const accountId = isAuthTokenShaped(authToken) ? this.known.get(hashAuthToken(authToken)) : undefined;
    const payer = accountId === undefined ? `address:${address}` : accountKey(accountId);
    this.take(payer);
    return payer;
  }

  /** The token is good: its account pays, and whoever paid in its place has it back. @throws {TooManyRequestsError} */
  recognize({ payer, authToken, account }: { payer: string; authToken: string; account: Account }): void {
    const rightful = accountKey(account.id);
    if (payer === rightful) return;
    this.known.set(hashAuthToken(authToken), account.id);
    this.buckets?.giveBack(payer);
    this.take(rightful);
  }

  /** The token is not good, or no longer: next time its address pays. */
  forget(authToken: string): void {
    this.known.delete(hashAuthToken(authToken));
  }

  private take(payer: string): void {
    const waitSeconds = this.buckets?.take(payer) ?? 0;
    if (waitSeconds > 0) throw new TooManyRequestsError(waitSeconds);
  }
}

const accountKey = (accountId: string): string => `account:${accountId}`;
