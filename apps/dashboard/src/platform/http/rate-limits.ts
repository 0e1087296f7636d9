import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { BlindNames, indexKeysOf, MessageAuthenticator, RATE_SUBJECTS, RateGossip } from '@paymaster/messaging';
import { clientNetwork, TokenBuckets, type RateSharing } from '@paymaster/nest-kit';
import { LRUCache } from 'lru-cache';
import { DashboardConfig } from '../config/dashboard.config';
import { AUTH_TOKEN, hashSecret, SESSION_TOKEN } from '../crypto/secret-text';
import { TooManyRequestsError } from './dashboard-errors';
import { GuessBrake } from './guess-brake';

const MAX_KNOWN_CREDENTIALS = 10_000;

export interface Admission {
  readonly address: string;
  /** The authToken, the text of the session's cookie, or a code; empty when nothing was sent. */
  readonly credential: string;
}

/**
 * Counts requests against rate limits. A request counts for the client's address until its credential (authToken or
 * session) is known to be good, and from then on for the owner: the account of the token, or the person of the session.
 * A credential that was good lately counts for its owner at once. So when many accounts share an address, guesses from
 * that address do not lock them out. {@link GuessBrake} slows guesses down.
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
   * Ids of owners by the credential's hash. They only say for whom a request counts; they never prove who the caller is.
   */
  private readonly known = new LRUCache<string, string>({ max: MAX_KNOWN_CREDENTIALS });

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
  charge({ address, credential }: Admission): string {
    const mayBeKnown = AUTH_TOKEN.isShaped(credential) || SESSION_TOKEN.isShaped(credential);
    const ownerId = mayBeKnown ? this.known.get(hashSecret(credential)) : undefined;
    const isGuess = ownerId === undefined;
    const payer = isGuess ? this.addressName(address) : this.ownerName(ownerId);
    if (isGuess && this.buckets) refuse(this.brake.waitSeconds(payer));
    this.take(payer);
    return payer;
  }

  /**
   * The credential is good: counts the request for its owner, and gives it back to the payer that it counted for.
   *
   * @param ownerId of the token's account, or of the session's person
   * @throws {TooManyRequestsError}
   */
  recognize({ payer, credential, ownerId }: { payer: string; credential: string; ownerId: string }): void {
    const rightful = this.ownerName(ownerId);
    if (payer === rightful) return;
    this.known.set(hashSecret(credential), ownerId);
    this.buckets?.giveBack(payer);
    this.take(rightful);
  }

  /** The credential is wrong or has ended: counts it as a guess of its address, and so its next request. */
  forget({ address, credential }: Admission): void {
    this.known.delete(hashSecret(credential));
    this.brake.failed(this.addressName(address));
  }

  private take(payer: string): void {
    refuse(this.buckets?.take(payer) ?? 0);
  }

  private addressName(address: string): string {
    return this.names.of(`address:${clientNetwork(address)}`);
  }

  private ownerName(ownerId: string): string {
    return this.names.of(`account:${ownerId}`);
  }
}

/** @throws {TooManyRequestsError} if there is a time to wait */
function refuse(waitSeconds: number): void {
  if (waitSeconds > 0) throw new TooManyRequestsError(waitSeconds);
}
