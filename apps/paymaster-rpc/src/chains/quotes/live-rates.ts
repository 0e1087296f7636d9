import { DependencyUnavailableError, SponsorshipRefusedError, type Address } from '@paymaster/domain';
import type { SignedRate } from '@paymaster/pricing';
import { ExpiringTable } from './expiring-table';

/** The operation that is priced. Sender and nonce identify it, because only one operation of a nonce can land. */
export interface PricedOperation {
  /** The tenant: all paymasters share the contract, and each has its own prices and premiums. */
  readonly paymasterId: string;
  /** The paymaster's contract. */
  readonly paymaster: Address;
  readonly sender: Address;
  readonly nonce: bigint;
}

/** The operation and token for which a rate was signed. */
export interface RateKey extends PricedOperation {
  readonly token: Address;
}

/** The live rates of one operation now. Do not keep it: later signatures are not in it. */
export interface OperationsLiveRates {
  /** The rate to sign in a token: the wanted rate, or the live rate if that is higher. */
  notBetterThanLive(token: Address, wanted: SignedRate): SignedRate;
}

const NOTHING_LIVE: OperationsLiveRates = { notBetterThanLive: (_token, wanted) => wanted };

/** How many rates one process remembers; the default is about 75 MB. */
export interface LiveRateBounds {
  readonly maxRates: number;
  /** Rates of one paymaster: a tenth, so that no paymaster takes all. */
  readonly maxRatesPerPaymaster: number;
  /** Rates of one sender with one paymaster: parallel nonces, in a few tokens each. */
  readonly maxRatesPerSender: number;
}

const DEFAULT_BOUNDS: LiveRateBounds = {
  maxRates: 100_000,
  maxRatesPerPaymaster: 10_000,
  maxRatesPerSender: 256,
};

interface LiveRate extends SignedRate {
  readonly paymasterId: string;
  readonly sender: Address;
  readonly validUntilSeconds: number;
}

/**
 * The highest live rate per (paymaster, contract, sender, nonce, token), premium included. A client that asks again
 * while an earlier signature can still land gets no better rate than that signature has. Otherwise asking again would
 * be a free option on the price: the sender would use the cheapest signature. There is one table per chain and process
 * (docs/adr/0009). An operation with another nonce is not covered here: the premium has to cover what a sender can gain
 * by waiting until its validity ends.
 *
 * Each paymaster has its own rates and bounds, although all share the contract. A stranger may list a token in his own
 * paymaster at any price, and have operations of other senders signed there; this changes nothing for other paymasters.
 * A signature of another paymaster is paid by that paymaster's wallet, so it is no option on this paymaster's price.
 */
export class LiveRates {
  private readonly rates = new ExpiringTable<LiveRate>();
  private readonly countByPaymaster = new Map<string, number>();
  private readonly countBySender = new Map<string, number>();
  private readonly bounds: LiveRateBounds;

  constructor(bounds: Partial<LiveRateBounds> = {}) {
    this.bounds = { ...DEFAULT_BOUNDS, ...bounds };
  }

  /**
   * The live rates of an operation, for all the tokens in which it is priced.
   *
   * @param nowSeconds the chain's time
   */
  of(operation: PricedOperation, nowSeconds: number): OperationsLiveRates {
    this.dropEnded(nowSeconds);
    // A shortcut: nearly all senders have no live rate, and a quote may have a hundred tokens.
    if (!this.countBySender.has(senderKeyOf(operation))) return NOTHING_LIVE;
    return { notBetterThanLive: (token, wanted) => this.notBetterThanLive({ ...operation, token }, wanted) };
  }

  /**
   * Counts a rate as live; call it right before signing. Live rates are never forgotten to make room.
   *
   * @throws {SponsorshipRefusedError} TOO_MANY_LIVE_SIGNATURES of this sender or paymaster
   * @throws {DependencyUnavailableError} `gateway`, when this process has no room left, or when another request for the
   *   same operation was signed at a dearer rate since {@link of} was called: ask again
   */
  remember(request: { key: RateKey; signed: SignedRate; validUntilSeconds: number; nowSeconds: number }): void {
    this.dropEnded(request.nowSeconds);
    const { key, signed } = request;
    const earlier = this.rates.get(keyOf(key));
    if (!earlier) this.assertRoom(key);
    else if (price(earlier) > price(signed))
      throw new DependencyUnavailableError('gateway', 'the same operation was priced by another request meanwhile');
    const validUntilSeconds = Math.max(earlier?.validUntilSeconds ?? 0, request.validUntilSeconds);
    const { exchangeRate, premiumMillionths } = signed;
    const { paymasterId, sender } = key;
    this.rates.set(keyOf(key), { exchangeRate, premiumMillionths, validUntilSeconds, paymasterId, sender });
    if (!earlier) this.count(key, 1);
  }

  private notBetterThanLive(key: RateKey, wanted: SignedRate): SignedRate {
    const live = this.rates.get(keyOf(key));
    if (!live || price(live) <= price(wanted)) return wanted;
    return { exchangeRate: live.exchangeRate, premiumMillionths: live.premiumMillionths };
  }

  private assertRoom(key: RateKey): void {
    const { maxRates, maxRatesPerPaymaster, maxRatesPerSender } = this.bounds;
    if ((this.countBySender.get(senderKeyOf(key)) ?? 0) >= maxRatesPerSender)
      throw tooManyLive('this sender', maxRatesPerSender);
    if ((this.countByPaymaster.get(key.paymasterId) ?? 0) >= maxRatesPerPaymaster)
      throw tooManyLive('this paymaster', maxRatesPerPaymaster);
    if (this.rates.size >= maxRates)
      throw new DependencyUnavailableError('gateway', 'too many rates of this process are still valid');
  }

  private dropEnded(nowSeconds: number): void {
    for (const ended of this.rates.takeEndedBefore(nowSeconds)) this.count(ended, -1);
  }

  private count(of: Pick<RateKey, 'paymasterId' | 'sender'>, change: 1 | -1): void {
    add(this.countByPaymaster, of.paymasterId, change);
    add(this.countBySender, senderKeyOf(of), change);
  }
}

/** Deletes a count that has fallen to zero. */
function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function tooManyLive(whose: string, limit: number): SponsorshipRefusedError {
  return new SponsorshipRefusedError(
    'TOO_MANY_LIVE_SIGNATURES',
    `too many operations of ${whose} are still valid; the oldest expire within minutes`,
    [],
    { limit: limit.toString() },
  );
}

function price({ exchangeRate, premiumMillionths }: SignedRate): bigint {
  return exchangeRate * premiumMillionths;
}

function senderKeyOf({ paymasterId, sender }: Pick<RateKey, 'paymasterId' | 'sender'>): string {
  return `${paymasterId}:${sender}`;
}

function keyOf({ paymasterId, paymaster, sender, nonce, token }: RateKey): string {
  return `${paymasterId}:${paymaster}:${sender}:${nonce}:${token}`;
}
