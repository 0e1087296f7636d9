import { DependencyUnavailableError, FundingWalletError, SponsorshipRefusedError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { DEFAULT_LIVE_SIGNATURE_BOUNDS, LiveSignatures, type SignatureHold } from './live-signatures';

const NOW = 1_800_000_000;
const account = { paymaster: randomAddress(), wallet: randomAddress() };
const operation = { entryPoint: randomAddress(), sender: randomAddress(), nonce: 1n };
const hold = (change: Partial<SignatureHold> = {}): SignatureHold => ({
  ...account,
  ...operation,
  prechargeWei: 10n,
  validUntilSeconds: NOW + 300,
  ...change,
});

describe('LiveSignatures', () => {
  const reserve = (live: LiveSignatures, change: Partial<SignatureHold>, balanceWei = 100n, nowSeconds = NOW) =>
    live.reserve({ hold: hold(change), balanceWei, nowSeconds });

  it('adds up what different operations may take', () => {
    const live = new LiveSignatures();
    reserve(live, { nonce: 1n });
    reserve(live, { nonce: 2n });
    reserve(live, { sender: randomAddress() });
    expect(live.liveWei(account, NOW)).toBe(30n);
  });

  it('holds the maximum of one nonce, never the sum', () => {
    const live = new LiveSignatures();
    for (const prechargeWei of [10n, 40n, 20n]) reserve(live, { prechargeWei });
    expect(live.liveWei(account, NOW)).toBe(40n);
  });

  it('refuses what the balance does not cover beside the live ones, to the wei', () => {
    const live = new LiveSignatures();
    reserve(live, { nonce: 1n, prechargeWei: 60n });
    expect(() => reserve(live, { nonce: 2n, prechargeWei: 41n })).toThrow(FundingWalletError);
    reserve(live, { nonce: 2n, prechargeWei: 40n });
    expect(live.liveWei(account, NOW)).toBe(100n);
  });

  it('counts the higher precharge of a nonce asked again against the balance', () => {
    const live = new LiveSignatures();
    reserve(live, { prechargeWei: 60n });
    reserve(live, { prechargeWei: 100n });
    expect(() => reserve(live, { prechargeWei: 101n })).toThrow(FundingWalletError);
  });

  it('keeps wallets apart, also for the same operation', () => {
    const live = new LiveSignatures();
    const other = { paymaster: account.paymaster, wallet: randomAddress() };
    reserve(live, {});
    reserve(live, other);
    expect(live.liveWei(account, NOW)).toBe(10n);
    expect(live.liveWei(other, NOW)).toBe(10n);
  });

  it('forgets a signature when the time on chain has passed its end, with a grace for cached balances', () => {
    const live = new LiveSignatures();
    reserve(live, {});
    expect(live.liveWei(account, NOW + 330)).toBe(10n);
    expect(live.liveWei(account, NOW + 331)).toBe(0n);
  });

  it('keeps the later end of a nonce asked again', () => {
    const live = new LiveSignatures();
    reserve(live, { validUntilSeconds: NOW + 600 });
    reserve(live, { validUntilSeconds: NOW + 300 });
    expect(live.liveWei(account, NOW + 500)).toBe(10n);
    reserve(live, { validUntilSeconds: NOW + 900 }, 100n, NOW + 500);
    expect(live.liveWei(account, NOW + 800)).toBe(10n);
    expect(live.liveWei(account, NOW + 931)).toBe(0n);
  });

  it('signs nothing more when it can remember no more, until something expires', () => {
    const live = new LiveSignatures({ maxHolds: 2 });
    reserve(live, { nonce: 1n });
    reserve(live, { nonce: 2n });
    expect(() => reserve(live, { nonce: 3n })).toThrow(DependencyUnavailableError);
    reserve(live, { nonce: 3n, validUntilSeconds: NOW + 900 }, 100n, NOW + 400);
    expect(live.liveWei(account, NOW + 400)).toBe(10n);
  });

  const tooMany = expect.objectContaining({ reason: 'TOO_MANY_LIVE_SIGNATURES' });

  it('refuses only the wallet that has too many signatures live, whatever they are worth', () => {
    const live = new LiveSignatures({ maxHoldsPerWallet: 3 });
    const another = (wallet: Partial<SignatureHold> = {}) =>
      reserve(live, { ...wallet, sender: randomAddress(), prechargeWei: 1n });
    for (let i = 0; i < 3; i++) another();
    expect(() => another()).toThrow(SponsorshipRefusedError);
    expect(() => another()).toThrow(tooMany);
    expect(() => another({ wallet: randomAddress() })).not.toThrow();
  });

  it('gives a sender 32 parallel nonces, each as often as it asks, and its room back when they expire', () => {
    const live = new LiveSignatures();
    for (let nonce = 0n; nonce < 32n; nonce++) reserve(live, { nonce, prechargeWei: 1n });
    expect(() => reserve(live, { nonce: 32n, prechargeWei: 1n })).toThrow(tooMany);
    expect(() => reserve(live, { nonce: 31n, prechargeWei: 2n })).not.toThrow();
    expect(() => reserve(live, { nonce: 32n, prechargeWei: 1n }, 100n, NOW + 331)).not.toThrow();
  });

  it('does not let one wallet use up the nonces of a sender with another', () => {
    const live = new LiveSignatures({ maxHoldsPerSender: 1 });
    reserve(live, { nonce: 1n });
    expect(() => reserve(live, { nonce: 2n })).toThrow(tooMany);
    expect(() => reserve(live, { nonce: 2n, wallet: randomAddress() })).not.toThrow();
  });

  it('leaves room for nine others when one wallet has all it may have', () => {
    expect(DEFAULT_LIVE_SIGNATURE_BOUNDS.maxHoldsPerWallet * 10).toBeLessThanOrEqual(
      DEFAULT_LIVE_SIGNATURE_BOUNDS.maxHolds,
    );
  });

  it('never promises more than the balance over 1,000 random requests', () => {
    const live = new LiveSignatures({ maxHoldsPerSender: 137 });
    let granted = 0;
    for (let round = 0; round < 1_000; round++) {
      const nonce = BigInt(round % 137);
      try {
        reserve(live, { nonce, prechargeWei: BigInt((round * 7919) % 50) + 1n }, 1_000n);
        granted += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(FundingWalletError);
      }
      expect(live.liveWei(account, NOW)).toBeLessThanOrEqual(1_000n);
    }
    expect(granted).toBeGreaterThan(0);
  });
});
