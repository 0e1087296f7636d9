import type { PriceReference } from '@paymaster/domain';
import { parseUsdE36 } from '../usd/usd-price';
import { distrust, outage, type PriceAnswer, type PriceSource } from './price-source';

/** The price that the reference itself states, for assets that are pegged by agreement. */
export class FixedPriceSource implements PriceSource {
  readonly name = 'fixed';

  covers(asset: PriceReference): boolean {
    return asset.fixedUsd !== null;
  }

  async read(assets: readonly PriceReference[]): Promise<readonly PriceAnswer[]> {
    return assets.map(({ fixedUsd }) => {
      const usdE36 = parseUsdE36(fixedUsd ?? '');
      if (usdE36 === undefined) return outage('the fixed price is not a decimal number');
      if (usdE36 <= 0n) return distrust('NOT_POSITIVE', `the fixed price is ${fixedUsd}`);
      return { usdE36, ageSeconds: 0, validForSeconds: Infinity };
    });
  }
}
