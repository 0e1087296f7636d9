import { walletsOfTurn } from './wallets-of-turn';

const wallets = (count: number, balanceWei: bigint) =>
  Array.from({ length: count }, (_, index) => ({ name: `${balanceWei}/${index}`, balanceWei }));

describe('walletsOfTurn', () => {
  it('compares all of 2,000 wallets every time', () => {
    const all = wallets(2_000, 5n);
    for (const turn of [0, 1, 7]) {
      const { compared, believed } = walletsOfTurn(all, turn);
      expect(new Set(compared)).toEqual(new Set(all));
      expect(believed).toEqual([]);
    }
  });

  it('compares 2,000 of any number, always the richest 1,000, and each of the others in its turn', () => {
    const all = [...wallets(4_400, 1n), ...wallets(1_000, 10n ** 18n)];
    const seen = new Set<string>();
    for (let turn = 3; turn < 3 + 5; turn++) {
      const { compared, believed } = walletsOfTurn(all, turn);
      expect(compared.length).toBeLessThanOrEqual(2_000);
      expect(compared.filter(({ balanceWei }) => balanceWei > 1n)).toHaveLength(1_000);
      expect(new Set([...compared, ...believed])).toEqual(new Set(all));
      expect(compared.length + believed.length).toBe(all.length);
      for (const { name } of compared) seen.add(name);
    }
    expect(seen.size).toBe(all.length);
  });
});
