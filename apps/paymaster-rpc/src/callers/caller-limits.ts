import { indexKeysOf, MessageAuthenticator, RATE_SUBJECTS, RateGossip } from '@paymaster/messaging';
import { BucketShares, TokenBuckets, type RateSharing } from '@paymaster/nest-kit';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { RateLimitedError } from '../platform/errors/rpc-errors';
import { ClientNames } from './client-names';

/** Seconds of the allowance that may be spent at once. */
const BURST_SECONDS = 2;
/** A batch of the largest size always fits into a full bucket. */
const MIN_BURST = 20;
/**
 * How many keys that this process does not know yet a client network may try: enough for a large office in the morning.
 */
const GUESSES = { perSecond: 10, capacity: 300 };
/** How many small answers without an API key a client address gets. */
const KEYLESS = { perSecond: 200, capacity: 2_000 };

/** The client in whose share of a paymaster's limit a request counts. */
export interface ClientShare {
  readonly clientAddress: string | undefined;
  /** The owner's `clientSharePercent`; undefined while the key's paymaster is not known. */
  readonly percent: number | undefined;
}

/**
 * The rate limits of callers: requests per paymaster over all its API keys, and a share of them per client address;
 * requests without a key; and unknown keys per client network, which are limited before a key is looked up. Gateways
 * share the limits; while NATS is away each process holds them alone (docs/adr/0013). They protect processes. Money is
 * bounded by the ledger's budgets.
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
   * @param payer the paymaster's id; or the key's blind index, while its paymaster is not known
   * @throws {RateLimitedError} when the payer has sent too much, or the client has used its share; then nothing is
   *   taken
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

  /** Moves what a key paid while its paymaster was not known to the paymaster. @throws {RateLimitedError} */
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
   * @param weight the number of small answers that its answer counts for
   * @throws {RateLimitedError} when too much of that comes from the client's address
   */
  takeKeyless(clientAddress: string | undefined, weight: number): void {
    const waitSeconds = this.keyless?.take(this.networks.of(clientAddress).site, weight) ?? 0;
    refuse(waitSeconds, 'Too many requests without an API key come from this address');
  }

  /**
   * Call it before a key that this process does not know is looked up. What it takes may be given back.
   *
   * @throws {RateLimitedError} when the client's network has tried too many unknown keys
   */
  takeForGuess(clientAddress: string | undefined): void {
    const waitSeconds = this.guesses?.take(this.networks.of(clientAddress).network) ?? 0;
    refuse(waitSeconds, 'Too many unknown API keys come from this address');
  }

  /** Gives it back, because the key was good, or could not be looked up. */
  giveBackGuess(clientAddress: string | undefined): void {
    this.guesses?.giveBack(this.networks.of(clientAddress).network);
  }
}

/** @throws {RateLimitedError} unless there is nothing to wait for */
function refuse(waitSeconds: number, why: string): void {
  if (waitSeconds > 0) throw new RateLimitedError(`${why}; wait and send again.`, waitSeconds);
}
