import { DependencyUnavailableError, SponsorshipRefusedError, type Address } from '@paymaster/domain';
import { ExpiringTable } from '../exposure/expiring-table';

/** A price as it is signed. */
export interface SignedRate {
  /** Token base units per 1e18 wei, without the premium. */
  readonly exchangeRate: bigint;
  /** As signed: 1_000_000 for none. */
  readonly premiumMillionths: bigint;
}

/** What a rate was signed for: of a nonce, one operation can land. */
export interface RateKey {
  /** The paymaster's contract. */
  readonly paymaster: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly token: Address;
}

/** How many rates one process remembers; the default is about 75 MB. */
export interface LiveRateBounds {
  readonly maxRates: number;
  /** Of one sender: parallel nonces, in a few tokens each. */
  readonly maxRatesPerSender: number;
}

const DEFAULT_BOUNDS: LiveRateBounds = { maxRates: 100_000, maxRatesPerSender: 256 };

interface LiveRate extends SignedRate {
  readonly sender: Address;
  readonly validUntilSeconds: number;
}

/**
 * The highest rate that is still live per (paymaster contract, sender, nonce, token), premium included. Whoever asks
 * again while an earlier signature can still land gets no better rate than that one carries: otherwise asking again
 * would be a free option on the price, and the sender would land the cheapest. One per chain; one process's memory
 * (docs/adr/0009). Another nonce is another operation: what it can gain by waiting for its validity is the premium's
 * to cover.
 */
export class LiveRates {
  private readonly rates = new ExpiringTable<LiveRate>();
  private readonly countBySender = new Map<Address, number>();
  private readonly bounds: LiveRateBounds;

  constructor(bounds: Partial<LiveRateBounds> = {}) {
    this.bounds = { ...DEFAULT_BOUNDS, ...bounds };
  }

  /**
   * The rate to sign: the one wanted, or the live one where that is dearer.
   *
   * @param nowSeconds the chain's time
   */
  notBetterThanLive(request: { key: RateKey; wanted: SignedRate; nowSeconds: number }): SignedRate {
    this.dropEnded(request.nowSeconds);
    const { key, wanted } = request;
    // Asked once per token of every quote, of senders of whom nearly none has anything live.
    if (!this.countBySender.has(key.sender)) return wanted;
    const live = this.rates.get(keyOf(key));
    if (!live || price(live) <= price(wanted)) return wanted;
    return { exchangeRate: live.exchangeRate, premiumMillionths: live.premiumMillionths };
  }

  /**
   * Counts a rate as live; call it right before signing. Nothing live is forgotten to make room.
   *
   * @throws {SponsorshipRefusedError} TOO_MANY_LIVE_SIGNATURES of this sender
   * @throws {DependencyUnavailableError} `gateway`, when this process can remember no more, or when another request
   *   for the same operation was signed at a dearer rate since {@link notBetterThanLive} was asked: ask again
   */
  remember(request: { key: RateKey; signed: SignedRate; validUntilSeconds: number; nowSeconds: number }): void {
    this.dropEnded(request.nowSeconds);
    const { key, signed } = request;
    const earlier = this.rates.get(keyOf(key));
    if (!earlier) this.assertRoom(key.sender);
    else if (price(earlier) > price(signed))
      throw new DependencyUnavailableError('gateway', 'the same operation was priced by another request meanwhile');
    const validUntilSeconds = Math.max(earlier?.validUntilSeconds ?? 0, request.validUntilSeconds);
    const { exchangeRate, premiumMillionths } = signed;
    this.rates.set(keyOf(key), { exchangeRate, premiumMillionths, validUntilSeconds, sender: key.sender });
    if (!earlier) this.count(key.sender, 1);
  }

  private assertRoom(sender: Address): void {
    const { maxRates, maxRatesPerSender } = this.bounds;
    if ((this.countBySender.get(sender) ?? 0) >= maxRatesPerSender) {
      throw new SponsorshipRefusedError(
        'TOO_MANY_LIVE_SIGNATURES',
        'too many operations of this sender are still valid; the oldest expire within minutes',
        [],
        { limit: maxRatesPerSender.toString() },
      );
    }
    if (this.rates.size >= maxRates)
      throw new DependencyUnavailableError('gateway', 'too many rates of this process are still valid');
  }

  private dropEnded(nowSeconds: number): void {
    for (const { sender } of this.rates.takeEndedBefore(nowSeconds)) this.count(sender, -1);
  }

  private count(sender: Address, change: 1 | -1): void {
    const count = (this.countBySender.get(sender) ?? 0) + change;
    if (count > 0) this.countBySender.set(sender, count);
    else this.countBySender.delete(sender);
  }
}

function price({ exchangeRate, premiumMillionths }: SignedRate): bigint {
  return exchangeRate * premiumMillionths;
}

function keyOf({ paymaster, sender, nonce, token }: RateKey): string {
  return `${paymaster}:${sender}:${nonce}:${token}`;
}
