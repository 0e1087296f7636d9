import { DependencyUnavailableError, FundingWalletError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { LiveSignatures, type SignatureHold } from './live-signatures';

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
    const live = new LiveSignatures(2);
    reserve(live, { nonce: 1n });
    reserve(live, { nonce: 2n });
    expect(() => reserve(live, { nonce: 3n })).toThrow(DependencyUnavailableError);
    reserve(live, { nonce: 3n, validUntilSeconds: NOW + 900 }, 100n, NOW + 400);
    expect(live.liveWei(account, NOW + 400)).toBe(10n);
  });

  it('never promises more than the balance over 1,000 random requests', () => {
    const live = new LiveSignatures();
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
