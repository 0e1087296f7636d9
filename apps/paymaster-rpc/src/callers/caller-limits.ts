import { indexKeysOf, MessageAuthenticator, RATE_SUBJECTS, RateGossip } from '@paymaster/messaging';
import { TokenBuckets, type RateSharing } from '@paymaster/nest-kit';
import type { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import { RateLimitedError } from '../json-rpc/errors';
import { ClientNames } from '../reservations/client-names';

/** Seconds of the allowance that may be spent at once. */
const BURST_SECONDS = 2;
/** A batch of the largest size always fits into a full bucket. */
const MIN_BURST = 20;
/** Keys that are not known to be good and that one client network may try: enough for a large office that starts up. */
const GUESSES = { perSecond: 10, capacity: 300 };

/**
 * What a caller may send: requests per paymaster, by whichever of its API keys, and keys that nobody knows per client
 * network, which is asked before anybody looks for such a key. Shared with all gateways, and held by this process alone
 * while NATS is away (docs/adr/0013). It protects processes; budgets are the ledger's business.
 */
export class CallerLimits {
  private readonly keys: TokenBuckets | undefined;
  private readonly guesses: TokenBuckets | undefined;
  private readonly networks: ClientNames;
  private readonly gossip: RateGossip | undefined;

  /** `rateLimitPerKeyPerSecond` 0 means no limits. */
  constructor(config: PaymasterRpcConfig) {
    this.networks = new ClientNames(config.apiKeyIndexKey);
    const perSecond = config.rateLimitPerKeyPerSecond;
    if (perSecond === 0) return;
    const capacity = Math.max(perSecond * BURST_SECONDS, MIN_BURST);
    this.keys = new TokenBuckets({ perSecond, capacity, shared: true });
    this.guesses = new TokenBuckets({ ...GUESSES, shared: true });
    this.gossip = new RateGossip({
      nats: config,
      name: 'paymaster-rpc rates',
      subject: RATE_SUBJECTS.gateway,
      authenticator: new MessageAuthenticator(indexKeysOf(config)),
      limits: { keys: this.keys, guesses: this.guesses },
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
   * @throws {RateLimitedError} when the payer has sent too much; nothing is taken then
   */
  take(payer: string, weight: number): void {
    const waitSeconds = this.keys?.take(payer, weight) ?? 0;
    if (waitSeconds === 0) return;
    throw new RateLimitedError('This API key sends more requests than allowed; wait and send again.', waitSeconds);
  }

  /** What a key paid while nobody knew whose it is, its paymaster pays. @throws {RateLimitedError} */
  charge(paymasterId: string, { insteadOf, weight }: { insteadOf: string; weight: number }): void {
    this.keys?.giveBack(insteadOf, weight);
    this.take(paymasterId, weight);
  }

  /**
   * Before a key that is not known to be good is looked for; what is taken may be given back.
   *
   * @throws {RateLimitedError} when the client's network has tried too many that nobody knows
   */
  takeForGuess(clientAddress: string | undefined): void {
    if (!this.guesses) return;
    const waitSeconds = this.guesses.take(this.networks.of(clientAddress).network);
    if (waitSeconds === 0) return;
    throw new RateLimitedError('Too many unknown API keys come from this address; wait and send again.', waitSeconds);
  }

  /** The key was good after all, or nobody could say. */
  giveBackGuess(clientAddress: string | undefined): void {
    this.guesses?.giveBack(this.networks.of(clientAddress).network);
  }
}
