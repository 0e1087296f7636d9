import type { TokenListing } from '@paymaster/domain';

/** The worth of one native coin in a token, from prices that were checked. */
export interface TokenRate {
  /** Token base units per 1e18 wei, rounded up, without the premium. */
  readonly exchangeRate: bigint;
  /** USD per whole token, times 1e36. */
  readonly tokenUsdE36: bigint;
  /** USD per whole native coin, times 1e36. */
  readonly nativeUsdE36: bigint;
}

/** Rates of one chain, kept fresh in the background. Reading a rate never waits. */
export interface TokenRates {
  /**
   * @throws {PriceUnavailableError} with the reason why this token has no quote now
   */
  rateOf(token: TokenListing): TokenRate;
  /**
   * Sets the tokens of an owner, which are priced from now on; replaces the owner's former list. A list that was not
   * asked for within an hour is dropped. Cheap to call again with the same array.
   *
   * @param owner a paymaster's id
   * @param tokens 100 at most; further tokens have no price
   */
  watch(owner: string, tokens: readonly TokenListing[]): void;
}
