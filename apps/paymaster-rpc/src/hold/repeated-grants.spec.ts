import { randomAddress } from '@paymaster/domain/testing';
import { RepeatedGrants } from './repeated-grants';

const aKey = (nonce = 1n) => ({
  ...{ chainId: 7, contract: randomAddress(), wallet: randomAddress(), paymasterId: 'p', sender: randomAddress() },
  nonce,
});

describe('RepeatedGrants', () => {
  it('is quiet from the fifth time within a minute on, until the first is a minute ago', () => {
    let nowMs = 1_000_000;
    const told = new RepeatedGrants(() => nowMs);
    const key = aKey();
    const ask = (): boolean => {
      const isQuiet = told.isQuiet(key);
      told.tell(key);
      nowMs += 1_000;
      return isQuiet;
    };
    expect(Array.from({ length: 6 }, ask)).toEqual([false, false, false, false, true, true]);
    nowMs = 1_000_000 + 60_000;
    expect([ask(), ask(), ask()]).toEqual([false, false, false]);
  });

  it('counts each operation separately, and only grants', () => {
    const told = new RepeatedGrants();
    const [one, other] = [aKey(), aKey()];
    for (let times = 0; times < 9; times++) told.tell(one);
    expect([told.isQuiet(one), told.isQuiet(other), told.isQuiet({ ...one, nonce: 2n })]).toEqual([true, false, false]);
  });

  it('remembers no more than it has room for', () => {
    const told = new RepeatedGrants(() => 1_000_000);
    const key = aKey(0n);
    for (let times = 0; times < 4; times++) told.tell(key);
    for (let nonce = 1n; nonce < 20_000n; nonce++) told.tell({ ...key, nonce });
    expect(told.isQuiet(key)).toBe(false);
  });
});
