import { medianOf, paidTip, parseFeeHistory, type BlockTip } from './paid-tips';

const blocks = (count: number, fullness: number, tipWei: bigint): BlockTip[] =>
  Array.from({ length: count }, () => ({ fullness, tipWei }));

describe('paidTip', () => {
  it('is the tip at which most of the gas was included', () => {
    expect(paidTip([...blocks(15, 0.5, 2n), ...blocks(5, 0.5, 50n)])).toBe(2n);
    expect(paidTip([...blocks(5, 0.5, 2n), ...blocks(15, 0.5, 50n)])).toBe(50n);
  });

  it('is not moved by nearly empty blocks beside fuller ones', () => {
    expect(paidTip([...blocks(5, 0.5, 2n), ...blocks(15, 0.05, 900n)])).toBe(2n);
  });

  it('is undefined for empty blocks, and for none', () => {
    expect(paidTip(blocks(20, 0, 0n))).toBeUndefined();
    expect(paidTip([])).toBeUndefined();
  });
});

describe('medianOf', () => {
  it('does not believe one provider against two, and takes the lower of two', () => {
    expect(medianOf([10n ** 18n, 1n, 2n])).toBe(2n);
    expect(medianOf([10n ** 18n, 1n])).toBe(1n);
    expect(medianOf([])).toBe(0n);
  });
});

describe('parseFeeHistory', () => {
  it('reads what geth answers', () => {
    const answer = {
      ...{ oldestBlock: '0x1', baseFeePerGas: ['0x7', '0x8', '0x9'] },
      ...{ gasUsedRatio: [0.5, 1.2], reward: [['0x1'], ['0x4']] },
    };
    expect(parseFeeHistory(answer)).toEqual([
      { fullness: 0.5, tipWei: 1n },
      { fullness: 1, tipWei: 4n },
    ]);
  });

  it('reads no blocks from a node that has none, with or without rewards', () => {
    expect(parseFeeHistory({ gasUsedRatio: [], reward: [] })).toEqual([]);
    expect(parseFeeHistory({ gasUsedRatio: [], baseFeePerGas: [] })).toEqual([]);
  });

  it.each([
    ['nothing', null],
    ['no rewards', { gasUsedRatio: [0.5] }],
    ['a ratio in words', { gasUsedRatio: ['half'], reward: [['0x1']] }],
    ['no tip', { gasUsedRatio: [0.5], reward: [[]] }],
  ])('does not believe %s', (_title, answer) => {
    expect(() => parseFeeHistory(answer)).toThrow('eth_feeHistory');
  });
});
