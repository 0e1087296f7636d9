import type { TokenListing } from '@paymaster/domain';

/** What one native coin is worth in a token, as of prices that were checked. */
export interface TokenRate {
  /** Token base units per 1e18 wei, rounded up, without the premium. */
  readonly exchangeRate: bigint;
  /** USD per whole token, times 1e36. */
  readonly tokenUsdE36: bigint;
  /** USD per whole native coin, times 1e36. */
  readonly nativeUsdE36: bigint;
}

/** Rates of one chain, kept fresh in the background. Reading one never waits and never asks anybody. */
export interface TokenRates {
  /**
   * @throws {PriceUnavailableError} saying why this token can't be quoted now
   */
  rateOf(token: TokenListing): TokenRate;
  /**
   * Prices an owner's own tokens too from now on, in the place of those named for this owner before; what nobody named
   * for an hour is dropped. Cheap to call again with the same array.
   *
   * @param owner whose list it is: a paymaster's id
   * @param tokens 100 at most; what is beyond has no price
   */
  watch(owner: string, tokens: readonly TokenListing[]): void;
}
