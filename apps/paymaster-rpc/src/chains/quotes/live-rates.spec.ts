import { DependencyUnavailableError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import type { SignedRate } from '@paymaster/pricing';
import fc from 'fast-check';
import { LiveRates, type RateKey } from './live-rates';

fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });

const NOW = 1_800_000_000;
const key: RateKey = {
  paymasterId: 'paymaster',
  paymaster: randomAddress(),
  sender: randomAddress(),
  nonce: 1n,
  token: randomAddress(),
};
const rate = (exchangeRate: bigint, premiumMillionths = 1_000_000n): SignedRate => ({
  exchangeRate,
  premiumMillionths,
});

describe('LiveRates', () => {
  let rates: LiveRates;
  const asked = (wanted: SignedRate, nowSeconds = NOW, changes: Partial<RateKey> = {}): SignedRate =>
    rates.of({ ...key, ...changes }, nowSeconds).notBetterThanLive(changes.token ?? key.token, wanted);
  const signed = (given: SignedRate, nowSeconds = NOW, changes: Partial<RateKey> = {}): void =>
    rates.remember({
      key: { ...key, ...changes },
      signed: given,
      validUntilSeconds: nowSeconds + 300,
      nowSeconds,
    });

  beforeEach(() => (rates = new LiveRates()));

  it('gives the wanted rate when no rate is live', () => {
    expect(asked(rate(100n))).toEqual(rate(100n));
  });

  it('gives no better rate than a live signature has, and leaves a worse rate unchanged', () => {
    signed(rate(100n));
    expect(asked(rate(90n))).toEqual(rate(100n));
    expect(asked(rate(110n))).toEqual(rate(110n));
  });

  it('compares with the premium', () => {
    signed(rate(100n, 1_100_000n));
    expect(asked(rate(109n, 1_000_000n))).toEqual(rate(100n, 1_100_000n));
    expect(asked(rate(111n, 1_000_000n))).toEqual(rate(111n, 1_000_000n));
  });

  it('holds until the last second of the signature', () => {
    signed(rate(100n));
    expect(asked(rate(90n), NOW + 300)).toEqual(rate(100n));
    expect(asked(rate(90n), NOW + 301)).toEqual(rate(90n));
  });

  it.each([
    { paymasterId: 'another' },
    { paymaster: randomAddress() },
    { sender: randomAddress() },
    { nonce: 2n },
    { token: randomAddress() },
  ])('leaves another operation, token or paymaster alone: %p', (changes) => {
    signed(rate(100n));
    expect(asked(rate(90n), NOW, changes)).toEqual(rate(90n));
  });

  it("lets no paymaster raise another's price, nor stop its signatures, of the same operation", () => {
    const hostile = { paymasterId: 'hostile' };
    const wanted = asked(rate(100n));
    signed(rate(10n ** 30n), NOW, hostile);
    expect(asked(rate(100n))).toEqual(rate(100n));
    expect(() => signed(wanted)).not.toThrow();
    expect(asked(rate(90n), NOW, hostile)).toEqual(rate(10n ** 30n));
  });

  it('refuses to sign a rate that has become better than a live rate since the request began', () => {
    const wanted = asked(rate(90n));
    signed(rate(100n));
    expect(() => signed(wanted)).toThrow(DependencyUnavailableError);
    expect(asked(rate(90n))).toEqual(rate(100n));
  });

  it('never signs a rate below one that is still live, over random histories', () => {
    const step = fc.record({ wanted: fc.bigInt(1n, 100n), waitSeconds: fc.integer({ min: 0, max: 200 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        rates = new LiveRates();
        const live: Array<{ exchangeRate: bigint; until: number }> = [];
        let now = NOW;
        for (const { wanted, waitSeconds } of steps) {
          now += waitSeconds;
          const { exchangeRate } = asked(rate(wanted), now);
          for (const earlier of live.filter(({ until }) => until >= now))
            expect(exchangeRate).toBeGreaterThanOrEqual(earlier.exchangeRate);
          signed(rate(exchangeRate), now);
          live.push({ exchangeRate, until: now + 300 });
        }
      }),
    );
  });

  it('refuses only the sender with too many live rates, and gives the room back when they end', () => {
    rates = new LiveRates({ maxRatesPerSender: 2 });
    signed(rate(1n), NOW, { nonce: 1n });
    signed(rate(1n), NOW, { nonce: 2n });
    const tooMany = expect.objectContaining({ reason: 'TOO_MANY_LIVE_SIGNATURES' });
    expect(() => signed(rate(1n), NOW, { nonce: 3n })).toThrow(tooMany);
    expect(() => signed(rate(1n), NOW, { nonce: 2n })).not.toThrow();
    expect(() => signed(rate(1n), NOW, { sender: randomAddress() })).not.toThrow();
    expect(() => signed(rate(1n), NOW, { nonce: 3n, paymasterId: 'another' })).not.toThrow();
    expect(() => signed(rate(1n), NOW + 301, { nonce: 3n })).not.toThrow();
  });

  it('refuses only the paymaster with too many live rates, and gives the room back when they end', () => {
    rates = new LiveRates({ maxRatesPerPaymaster: 2 });
    signed(rate(1n));
    signed(rate(1n), NOW, { sender: randomAddress() });
    const stranger = { sender: randomAddress() };
    expect(() => signed(rate(1n), NOW, stranger)).toThrow(
      expect.objectContaining({ reason: 'TOO_MANY_LIVE_SIGNATURES' }),
    );
    expect(() => signed(rate(1n), NOW, { ...stranger, paymasterId: 'another' })).not.toThrow();
    expect(() => signed(rate(1n), NOW + 301, stranger)).not.toThrow();
  });

  it('signs nothing more when it can remember no more', () => {
    rates = new LiveRates({ maxRates: 1 });
    signed(rate(1n));
    expect(() => signed(rate(1n), NOW, { sender: randomAddress() })).toThrow(DependencyUnavailableError);
  });
});
