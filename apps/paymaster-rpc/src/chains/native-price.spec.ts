import { nativePriceUnavailable } from '@paymaster/pricing';
import type { ServedTokens } from './served-tokens';
import { microUsdPerNative, microUsdPerNativeIfKnown } from './native-price';

const chainWith = (nativeUsdE36: () => bigint) => ({ tokens: { prices: { nativeUsdE36 } } as ServedTokens });

describe('microUsdPerNative', () => {
  it.each([
    [2_500n * 10n ** 36n, 2_500_000_000n],
    [10n ** 30n, 1n],
    [10n ** 30n + 1n, 2n],
  ])('of %s is %s', (usdE36, microUsd) => {
    expect(microUsdPerNative(chainWith(() => usdE36))).toBe(microUsd);
  });

  it('is unavailable on a chain without prices, and while no price is valid', () => {
    const stale = chainWith(() => {
      throw nativePriceUnavailable('STALE');
    });
    expect(() => microUsdPerNative({ tokens: undefined })).toThrow(expect.objectContaining({ fault: 'NO_SOURCE' }));
    expect(() => microUsdPerNative(stale)).toThrow(expect.objectContaining({ fault: 'STALE' }));
    expect([microUsdPerNativeIfKnown({ tokens: undefined }), microUsdPerNativeIfKnown(stale)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('does not hide a fault of ours', () => {
    const broken = chainWith(() => {
      throw new TypeError('no');
    });
    expect(() => microUsdPerNativeIfKnown(broken)).toThrow(TypeError);
  });
});
