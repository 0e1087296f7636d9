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
 * Counts requests against rate limits. A request counts for the client's address until its authToken is known to be
 * good, and from then on for the account. A token that was good lately counts for its account at once. So when many
 * accounts share an address, guesses from that address do not lock them out. {@link GuessBrake} slows guesses down.
 * Processes share their counts over NATS; while NATS is away, each process counts alone (docs/adr/0013). Memory is
 * bounded, however many tokens attackers invent.
 */
@Injectable()
export class RateLimits implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly buckets: TokenBuckets | undefined;
  private readonly brake = new GuessBrake();
  private readonly names: BlindNames;
  private readonly gossip: RateGossip | undefined;
  /**
   * Account ids by token hash. They only say which account a request counts for; they never prove who the caller is.
   */
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

  /**
   * Counts a request; call it before anything is looked up. @returns for whom it counts, as a blind index @throws
   * {TooManyRequestsError}
   */
  charge({ address, authToken }: Admission): string {
    const accountId = isAuthTokenShaped(authToken) ? this.known.get(hashAuthToken(authToken)) : undefined;
    const isGuess = accountId === undefined;
    const payer = isGuess ? this.addressName(address) : this.accountName(accountId);
    if (isGuess && this.buckets) refuse(this.brake.waitSeconds(payer));
    this.take(payer);
    return payer;
  }

  /**
   * The token is good: counts the request for its account, and gives it back to the payer that it counted for. @throws
   * {TooManyRequestsError}
   */
  recognize({ payer, authToken, account }: { payer: string; authToken: string; account: Account }): void {
    const rightful = this.accountName(account.id);
    if (payer === rightful) return;
    this.known.set(hashAuthToken(authToken), account.id);
    this.buckets?.giveBack(payer);
    this.take(rightful);
  }

  /** The token is wrong or revoked: counts it as a guess of its address. Its next request counts for the address. */
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

/** @throws {TooManyRequestsError} if there is a time to wait */
function refuse(waitSeconds: number): void {
  if (waitSeconds > 0) throw new TooManyRequestsError(waitSeconds);
}
