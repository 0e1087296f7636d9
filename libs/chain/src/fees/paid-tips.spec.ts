import { medianTips, paidTips, parseFeeHistory, type BlockTips } from './paid-tips';

const GWEI = 10n ** 9n;
const block = (fullness: number, cheapWei: bigint, baseFeeWei = GWEI): BlockTips => ({
  ...{ fullness, cheapWei, baseFeeWei },
  middleWei: 2n * cheapWei,
  dearWei: 3n * cheapWei,
});
const blocks = (count: number, one: BlockTips): BlockTips[] => Array.from({ length: count }, () => one);

describe('paidTips', () => {
  it('is the tip at which most of the gas was included', () => {
    expect(paidTips([...blocks(15, block(0.5, 2n)), ...blocks(5, block(0.5, 50n))])).toEqual({
      cheapWei: 2n,
      middleWei: 4n,
      dearWei: 6n,
    });
  });

  it('is not moved by an attacker who tips much in nearly empty blocks', () => {
    expect(paidTips([...blocks(5, block(0.5, 2n)), ...blocks(15, block(0.05, 900n))])?.cheapWei).toBe(2n);
  });

  it('uses the memory of the day if the blocks of the window are nearly empty', () => {
    const memory = { cheapWei: 3n, middleWei: 4n, dearWei: 5n };
    expect(paidTips(blocks(20, block(0.02, 900n)), memory)).toEqual(memory);
    // When blocks are full, the new tips count at once.
    expect(paidTips(blocks(20, block(0.9, 900n)), memory)?.cheapWei).toBe(900n);
  });

  it('lets the day count for less, the fuller the blocks are', () => {
    const memory = { cheapWei: 3n, middleWei: 4n, dearWei: 5n };
    const rush = (count: number, fullness: number) => [
      ...blocks(20 - count, block(fullness, 2n)),
      ...blocks(count, block(fullness, 900n)),
    ];
    expect(paidTips(rush(9, 1), memory)?.cheapWei).toBe(900n);
    expect(paidTips(rush(9, 0.5), memory)?.cheapWei).toBe(3n);
  });

  it('leaves out tips that were paid beside a much higher base fee', () => {
    const rush = blocks(12, block(1, 500n, 100n * GWEI));
    expect(paidTips([...rush, ...blocks(8, block(0.5, 2n))])?.cheapWei).toBe(2n);
  });

  it('is undefined for empty blocks', () => {
    expect(paidTips(blocks(20, block(0, 0n)))).toBeUndefined();
  });
});

describe('medianTips', () => {
  it('does not believe one provider against two', () => {
    const lie = { cheapWei: 10n ** 18n, middleWei: 10n ** 18n, dearWei: 10n ** 18n };
    const one = { cheapWei: 1n, middleWei: 2n, dearWei: 3n };
    const other = { cheapWei: 2n, middleWei: 3n, dearWei: 4n };
    expect(medianTips([lie, one, other])).toEqual(other);
    expect(medianTips([lie, one])).toEqual(one);
    expect(medianTips([])).toBeUndefined();
  });
});

describe('parseFeeHistory', () => {
  it('reads what geth answers', () => {
    const answer = {
      oldestBlock: '0x1',
      baseFeePerGas: ['0x7', '0x8', '0x9'],
      gasUsedRatio: [0.5, 1.2],
      reward: [
        ['0x1', '0x2', '0x3'],
        ['0x4', '0x5', '0x6'],
      ],
    };
    expect(parseFeeHistory(answer)).toEqual([
      { fullness: 0.5, baseFeeWei: 7n, cheapWei: 1n, middleWei: 2n, dearWei: 3n },
      { fullness: 1, baseFeeWei: 8n, cheapWei: 4n, middleWei: 5n, dearWei: 6n },
    ]);
  });

  it.each([
    ['nothing', null],
    ['no rewards', { baseFeePerGas: ['0x7'], gasUsedRatio: [0.5] }],
    ['a ratio in words', { baseFeePerGas: ['0x7'], gasUsedRatio: ['half'], reward: [['0x1', '0x2', '0x3']] }],
    ['a tip too few', { baseFeePerGas: ['0x7'], gasUsedRatio: [0.5], reward: [['0x1', '0x2']] }],
  ])('does not believe %s', (_title, answer) => {
    expect(() => parseFeeHistory(answer)).toThrow('eth_feeHistory');
  });
});
