import { toPriceReference, type PriceReference } from '@paymaster/domain';
import { isPrice, outage, type Price, type PriceAnswer, type PriceRound, type PriceSource } from '../price-source';

const E36 = 10n ** 36n;

/**
 * Feeds that answer in the chain's coin, as those of staked coins do (wstETH in ETH): the answer times the coin's own
 * price, rounded down, so that no token counts for more than it is worth.
 */
export class CoinFeedSource implements PriceSource {
  readonly name = 'coinFeed';

  /**
   * @param feeds reads the feeds, whatever their unit is
   * @param coin the chain's coin, and what reads its price
   */
  constructor(
    private readonly feeds: PriceSource,
    private readonly coin: { readonly reference: PriceReference; readonly source: PriceSource },
  ) {}

  covers({ coinFeed }: PriceReference): boolean {
    return coinFeed !== null;
  }

  async read(assets: readonly PriceReference[], round?: PriceRound): Promise<readonly PriceAnswer[]> {
    const feeds = assets.map(({ coinFeed }) => toPriceReference({ feed: coinFeed }));
    const [amounts, [coin = outage('it was not read')]] = await Promise.all([
      this.feeds.read(feeds, round),
      this.coin.source.read([this.coin.reference], round),
    ]);
    return amounts.map((amount) => (isPrice(amount) ? inUsd(amount, coin) : amount));
  }
}

/** Holds for as long as both hold. */
function inUsd(amount: Price, coin: PriceAnswer): PriceAnswer {
  if (!isPrice(coin)) return { ...coin, message: `the coin’s own price: ${coin.message}` };
  return {
    usdE36: (amount.usdE36 * coin.usdE36) / E36,
    ageSeconds: Math.max(amount.ageSeconds, coin.ageSeconds),
    validForSeconds: Math.min(amount.validForSeconds, coin.validForSeconds),
  };
}
