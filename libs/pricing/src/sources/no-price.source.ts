import type { PriceReference } from '@paymaster/domain';
import { outage, type PriceAnswer, type PriceSource } from './price-source';

/**
 * Stands where a reference names an API id and no API is configured. It counts among the sources named, so that an
 * asset never loses a source, and with it the quorum, without anybody noticing.
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
