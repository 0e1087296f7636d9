import { Injectable } from '@nestjs/common';
import { Metrics, type Sample } from '@paymaster/nest-kit';
import type { PriceView } from '@paymaster/pricing';
import { ServedChains } from '../chains/served-chains';
import type { ServedTokens } from '../chains/served-tokens';

/** Stands for the native coin in the labels for a token's address and symbol. */
const NATIVE = { address: 'native', symbol: 'native' };

/**
 * Gauges of the operator's prices and their sources. Only tokens of the chain's list have series; owners' tokens have
 * none, because their number is not bounded.
 */
@Injectable()
export class TokenGauges {
  constructor(
    metrics: Metrics,
    private readonly chains: ServedChains,
  ) {
    const labelNames = ['chain', 'token', 'symbol'];
    metrics.gauge(
      { name: 'paymaster_price_usable', help: '1 while operations can be priced in a token of the list', labelNames },
      () => this.ofPrices(({ isUsable }) => (isUsable ? 1 : 0)),
    );
    metrics.gauge(
      { name: 'paymaster_price_age_seconds', help: 'Age of the last price that was believed', labelNames },
      () => this.ofPrices(({ ageSeconds }) => ageSeconds),
    );
    metrics.gauge(
      {
        name: 'paymaster_price_source_left_out',
        help: 'Prices of listed tokens that a source did not count for when they were last read',
        labelNames: ['chain', 'source'],
      },
      () =>
        this.ofChains(({ prices }, chain) =>
          prices.report().sources.map(({ source, leftOut }) => ({ labels: { chain, source }, value: leftOut })),
        ),
    );
  }

  private ofChains(read: (tokens: ServedTokens, chain: string) => readonly Sample[]): Sample[] {
    return [...this.chains.all()].flatMap(({ config, tokens }) => (tokens ? read(tokens, String(config.chainId)) : []));
  }

  private ofPrices(read: (price: PriceView) => number | undefined): Sample[] {
    return this.ofChains(({ prices }, chain) =>
      prices.report().prices.flatMap((price) => {
        const value = read(price);
        const { address, symbol } = price.token ?? NATIVE;
        return value === undefined ? [] : [{ labels: { chain, token: address, symbol }, value }];
      }),
    );
  }
}
