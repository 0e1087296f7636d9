import { indexKeysOf, MessageAuthenticator, RATE_SUBJECTS, RateGossip } from '@paymaster/messaging';
import { BucketShares, TokenBuckets, type RateSharing } from '@paymaster/nest-kit';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { RateLimitedError } from '../platform/errors/rpc-errors';
import { ClientNames } from './client-names';

/** Seconds of the allowance that may be spent at once. */
const BURST_SECONDS = 2;
/** A batch of the largest size always fits into a full bucket. */
const MIN_BURST = 20;
/** Keys that are not known to be good and that one client network may try: enough for a large office that starts up. */
const GUESSES = { perSecond: 10, capacity: 300 };
/** Small answers that no key pays for, of one client address. */
const KEYLESS = { perSecond: 200, capacity: 2_000 };

/** Of whose share of a paymaster's limit a request is. */
export interface ClientShare {
  readonly clientAddress: string | undefined;
  /** The owner's `clientSharePercent`; undefined while nobody knows whose the key is. */
  readonly percent: number | undefined;
}

/**
 * What a caller may send: requests per paymaster, by whichever of its API keys, and of them a share per client address;
 * requests without a key; and keys that nobody knows per client network, which is asked before anybody looks for such a
 * key. Shared with all gateways, and held by this process alone
 * while NATS is away (docs/adr/0013). It protects processes; budgets are the ledger's business.
 */
export class CallerLimits {
  private readonly keys: TokenBuckets | undefined;
  private readonly shares: BucketShares | undefined;
  private readonly guesses: TokenBuckets | undefined;
  private readonly keyless: TokenBuckets | undefined;
  private readonly networks: ClientNames;
  private readonly gossip: RateGossip | undefined;

  /** `rateLimitPerKeyPerSecond` 0 means no limits. */
  constructor(config: PaymasterRpcConfig) {
    this.networks = new ClientNames(config.apiKeyIndexKey);
    const perSecond = config.rateLimitPerKeyPerSecond;
    if (perSecond === 0) return;
    const capacity = Math.max(perSecond * BURST_SECONDS, MIN_BURST);
    this.keys = new TokenBuckets({ perSecond, capacity, shared: true });
    this.shares = new BucketShares({ perSecond, capacity });
    this.guesses = new TokenBuckets({ ...GUESSES, shared: true });
    this.keyless = new TokenBuckets({ ...KEYLESS, shared: true });
    this.gossip = new RateGossip({
      nats: config,
      name: 'paymaster-rpc rates',
      subject: RATE_SUBJECTS.gateway,
      authenticator: new MessageAuthenticator(indexKeysOf(config)),
      limits: { keys: this.keys, guesses: this.guesses, keyless: this.keyless, shares: this.shares },
    });
  }

  /** How the limits are shared, for metrics; undefined without limits. */
  get sharing(): RateSharing | undefined {
    return this.gossip;
  }

  /** Starts to share; returns at once. */
  start(): void {
    this.gossip?.start();
  }

  async close(): Promise<void> {
    await this.gossip?.close();
  }

  /**
   * @param payer the paymaster's id, or the key's blind index while nobody knows whose it is
   * @throws {RateLimitedError} when the payer has sent too much, or the client its share of it; nothing is taken then
   */
  take(payer: string, weight: number, { clientAddress, percent = 100 }: ClientShare): void {
    const { keys, shares } = this;
    if (!keys || !shares) return;
    const user = percent < 100 ? `${payer}_${this.networks.of(clientAddress).site}` : undefined;
    if (user !== undefined) {
      const asked = { weight, left: keys.left(payer), share: percent / 100 };
      refuse(
        shares.waitSeconds(user, asked),
        'This client address sends more than its share of requests of this API key',
      );
    }
    refuse(keys.take(payer, weight), 'This API key sends more requests than allowed');
    if (user !== undefined) shares.took(user, weight);
  }

  /** What a key paid while nobody knew whose it is, its paymaster pays. @throws {RateLimitedError} */
  charge(
    paymasterId: string,
    { insteadOf, weight, share }: { insteadOf: string; weight: number; share: ClientShare },
  ): void {
    this.keys?.giveBack(insteadOf, weight);
    this.take(paymasterId, weight, share);
  }

  /**
   * For a request that no key pays for.
   *
   * @param weight how many small answers its answer is as much as
   * @throws {RateLimitedError} when too much of that comes from the client's address
   */
  takeKeyless(clientAddress: string | undefined, weight: number): void {
    const waitSeconds = this.keyless?.take(this.networks.of(clientAddress).site, weight) ?? 0;
    refuse(waitSeconds, 'Too many requests without an API key come from this address');
  }

  /**
   * Before a key that is not known to be good is looked for; what is taken may be given back.
   *
   * @throws {RateLimitedError} when the client's network has tried too many that nobody knows
   */
  takeForGuess(clientAddress: string | undefined): void {
    const waitSeconds = this.guesses?.take(this.networks.of(clientAddress).network) ?? 0;
    refuse(waitSeconds, 'Too many unknown API keys come from this address');
  }

  /** The key was good after all, or nobody could say. */
  giveBackGuess(clientAddress: string | undefined): void {
    this.guesses?.giveBack(this.networks.of(clientAddress).network);
  }
}

/** @throws {RateLimitedError} unless there is nothing to wait for */
function refuse(waitSeconds: number, why: string): void {
  if (waitSeconds > 0) throw new RateLimitedError(`${why}; wait and send again.`, waitSeconds);
}
