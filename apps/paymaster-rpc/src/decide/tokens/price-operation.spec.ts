import { SponsorshipRefusedError, tokenChargeBaseUnits } from '@paymaster/domain';
import { randomAddress, tokenListingBuilder } from '@paymaster/domain/testing';
import type { SignedRate } from '@paymaster/pricing';
import { priceOperation, type PriceRequest } from './price-operation';
import { LiveRates } from '../../chains/quotes/live-rates';

const NOW = 1_800_000_000;
const PREMIUM = 1_100_000n;
const token = tokenListingBuilder().with('premiumMillionths', 100_000).build();
const operation = { paymasterId: 'paymaster', paymaster: randomAddress(), sender: randomAddress(), nonce: 1n };
const maxCostWei = 10n ** 15n;

const at = (exchangeRate: bigint, changes: Partial<PriceRequest> = {}): PriceRequest => ({
  ...{ token, maxCostWei },
  rate: { exchangeRate, tokenUsdE36: 10n ** 36n, nativeUsdE36: 3_000n * 10n ** 36n },
  ...changes,
});
/** A quote that was given at that rate for that cost. */
const promise = (exchangeRate: bigint, costWei = maxCostWei) => ({
  exchangeRate,
  premiumMillionths: PREMIUM,
  ceilingBaseUnits: tokenChargeBaseUnits({ costWei, exchangeRate, premiumMillionths: PREMIUM }),
});

describe('priceOperation', () => {
  let live: LiveRates;
  beforeEach(() => (live = new LiveRates()));

  const signedAt = (signed: SignedRate): void =>
    live.remember({
      key: { ...operation, token: token.address },
      signed,
      validUntilSeconds: NOW + 300,
      nowSeconds: NOW,
    });
  const reasonOf = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      if (error instanceof SponsorshipRefusedError) return error.reason;
      throw error;
    }
    throw new Error('it was priced');
  };

  it('is the current rate plus the premium, rounded up', () => {
    const price = priceOperation(live.of(operation, NOW), at(3_000_000_001n));
    expect(price).toMatchObject({ exchangeRate: 3_000_000_001n, premiumMillionths: PREMIUM });
    expect(price.maxChargeBaseUnits).toBe(3_300_001n);
  });

  it('is the current rate also when a quote promised a dearer one', () => {
    const promised = promise(4_000_000_000n);
    expect(priceOperation(live.of(operation, NOW), at(3_000_000_000n, { promised })).exchangeRate).toBe(3_000_000_000n);
  });

  it('goes up within the ceiling of a quote with head-room', () => {
    const promised = promise(3_000_000_000n, 2n * maxCostWei);
    expect(priceOperation(live.of(operation, NOW), at(5_000_000_000n, { promised })).exchangeRate).toBe(5_000_000_000n);
  });

  it('keeps the rate of the quote when the current rate would exceed its ceiling', () => {
    const promised = promise(3_000_000_000n);
    const price = priceOperation(live.of(operation, NOW), at(5_000_000_000n, { promised }));
    expect(price.exchangeRate).toBe(3_000_000_000n);
    expect(price.maxChargeBaseUnits).toBe(promised.ceilingBaseUnits);
  });

  it('keeps the premium of the quote too, when its owner has raised it since', () => {
    const dearer = { ...token, premiumMillionths: 500_000 };
    const price = priceOperation(
      live.of(operation, NOW),
      at(3_000_000_000n, { promised: promise(3_000_000_000n), token: dearer }),
    );
    expect(price.premiumMillionths).toBe(PREMIUM);
  });

  it('refuses when gas alone passes the ceiling', () => {
    const promised = promise(3_000_000_000n, maxCostWei - 10n ** 12n);
    expect(reasonOf(() => priceOperation(live.of(operation, NOW), at(3_000_000_000n, { promised })))).toBe(
      'QUOTE_CEILING_EXCEEDED',
    );
  });

  it('gives no better rate than a signature of the same operation that is still live', () => {
    signedAt({ exchangeRate: 4_000_000_000n, premiumMillionths: PREMIUM });
    expect(priceOperation(live.of(operation, NOW), at(3_000_000_000n)).exchangeRate).toBe(4_000_000_000n);
    expect(priceOperation(live.of(operation, NOW + 301), at(3_000_000_000n)).exchangeRate).toBe(3_000_000_000n);
  });

  it('does not depend on a signature of another paymaster for the same operation', () => {
    const key = { ...operation, paymasterId: 'hostile', token: token.address };
    const signed = { exchangeRate: 10n ** 30n, premiumMillionths: PREMIUM };
    live.remember({ key, signed, validUntilSeconds: NOW + 600, nowSeconds: NOW });
    const promised = promise(3_000_000_000n);
    expect(priceOperation(live.of(operation, NOW), at(3_000_000_000n)).exchangeRate).toBe(3_000_000_000n);
    expect(priceOperation(live.of(operation, NOW), at(3_000_000_000n, { promised })).exchangeRate).toBe(3_000_000_000n);
  });

  it('refuses when the rate of a live signature would exceed the ceiling', () => {
    signedAt({ exchangeRate: 4_000_000_000n, premiumMillionths: PREMIUM });
    const promised = promise(3_000_000_000n);
    expect(reasonOf(() => priceOperation(live.of(operation, NOW), at(3_000_000_000n, { promised })))).toBe(
      'QUOTE_CEILING_EXCEEDED',
    );
  });
});
