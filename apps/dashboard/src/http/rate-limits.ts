import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { BlindNames, indexKeysOf, MessageAuthenticator, RATE_SUBJECTS, RateGossip } from '@paymaster/messaging';
import { clientNetwork, TokenBuckets, type RateSharing } from '@paymaster/nest-kit';
import { LRUCache } from 'lru-cache';
import type { Account } from '../accounts/account';
import { hashAuthToken, isAuthTokenShaped } from '../accounts/auth-token';
import { DashboardConfig } from '../config/dashboard.config';
import { TooManyRequestsError } from './dashboard-errors';
import { GuessBrake } from './guess-brake';

const MAX_KNOWN_TOKENS = 10_000;

export interface Admission {
  readonly address: string;
  readonly authToken: string;
}

/**
 * Who pays for a request in the rate limit: the client's address until the authToken has proven good, then its
 * account. Tokens that were good lately pay by account at once, so that guesses from an address that many share do
 * not lock its accounts out; guesses are slowed down besides. Shared with the other processes, and held by this one
 * alone while NATS is away (docs/adr/0013); bounded in memory however many tokens are made up.
 */
@Injectable()
export class RateLimits implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly buckets: TokenBuckets | undefined;
  private readonly brake = new GuessBrake();
  private readonly names: BlindNames;
  private readonly gossip: RateGossip | undefined;
  /** Account ids by token hash. A hint about who pays, never a proof of who calls. */
  private readonly known = new LRUCache<string, string>({ max: MAX_KNOWN_TOKENS });

  constructor(@Inject(DashboardConfig) config: Readonly<DashboardConfig>) {
    const { rateLimitPerTokenPerMinute: perMinute, apiKeyIndexKey } = config;
    this.names = new BlindNames(apiKeyIndexKey);
    if (perMinute === 0) return;
    this.buckets = new TokenBuckets({ perSecond: perMinute / 60, capacity: perMinute, shared: true });
    this.gossip = new RateGossip({
      nats: config,
      name: 'dashboard rates',
      subject: RATE_SUBJECTS.dashboard,
      authenticator: new MessageAuthenticator(indexKeysOf(config)),
      limits: { requests: this.buckets, guesses: this.brake },
    });
  }

  /** How the limits are shared with the other processes, for metrics; undefined without limits. */
  get sharing(): RateSharing | undefined {
    return this.gossip;
  }

  onApplicationBootstrap(): void {
    this.gossip?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.gossip?.close();
  }

  /** Before anything is looked up. @returns who paid, as a blind index @throws {TooManyRequestsError} */
  charge({ address, authToken }: Admission): string {
    const accountId = isAuthTokenShaped(authToken) ? this.known.get(hashAuthToken(authToken)) : undefined;
    const isGuess = accountId === undefined;
    const payer = isGuess ? this.addressName(address) : this.accountName(accountId);
    if (isGuess && this.buckets) refuse(this.brake.waitSeconds(payer));
    this.take(payer);
    return payer;
  }

  /** The token is good: its account pays, and whoever paid in its place has it back. @throws {TooManyRequestsError} */
  recognize({ payer, authToken, account }: { payer: string; authToken: string; account: Account }): void {
    const rightful = this.accountName(account.id);
    if (payer === rightful) return;
    this.known.set(hashAuthToken(authToken), account.id);
    this.buckets?.giveBack(payer);
    this.take(rightful);
  }

  /** The token is not good, or no longer: it is a guess of its address, which pays next time. */
  forget({ address, authToken }: Admission): void {
    this.known.delete(hashAuthToken(authToken));
    this.brake.failed(this.addressName(address));
  }

  private take(payer: string): void {
    refuse(this.buckets?.take(payer) ?? 0);
  }

  private addressName(address: string): string {
    return this.names.of(`address:${clientNetwork(address)}`);
  }

  private accountName(accountId: string): string {
    return this.names.of(`account:${accountId}`);
  }
}

/** @throws {TooManyRequestsError} unless there is nothing to wait for */
function refuse(waitSeconds: number): void {
  if (waitSeconds > 0) throw new TooManyRequestsError(waitSeconds);
}
