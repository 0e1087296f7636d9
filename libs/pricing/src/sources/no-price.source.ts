import type { PriceReference } from '@paymaster/domain';
import { outage, type PriceAnswer, type PriceSource } from './price-source';

/**
 * Takes the place of an API that a reference names and that is not configured. It counts among the named sources, so
 * that an asset never silently loses a source, and with it the quorum.
 */
export class NoPriceSource implements PriceSource {
  readonly name = 'no API';

  covers(asset: PriceReference): boolean {
    return asset.apiId !== null;
  }

  async read(assets: readonly PriceReference[]): Promise<readonly PriceAnswer[]> {
    return assets.map(() => outage('an API id is named, but no price API is configured'));
  }
}
