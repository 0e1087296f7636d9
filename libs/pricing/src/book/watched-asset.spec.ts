import { apiReference } from '../testing';
import { JumpGuard } from './jump-guard';
import { WatchedAsset } from './watched-asset';

const price = (usdE36: bigint) => ({ usdE36, ageSeconds: 0, validForSeconds: Infinity });

const E18 = 10n ** 18n;

describe('WatchedAsset', () => {
  it('ignores a reading that a later one overtook', () => {
    const asset = new WatchedAsset(apiReference(), new JumpGuard(500_000), 60);
    asset.take(price(101n * E18), 2_000);
    asset.take(price(100n * E18), 1_000);
    expect(asset.state(2_000)).toEqual({ usdE36: 101n * E18, validUntilMs: 62_000 });
  });
});
