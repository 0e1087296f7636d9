import { findWrongChecksum, hasWrongChecksum } from './checksum';

const RIGHT = '0xe31B0BcBda693Bff2529F4A1d9f7E8f6D924c6aB';
const WRONG = '0xE31b0BcBda693bfF2529F4a1d9f7e8f6D924C6Ab';

describe('hasWrongChecksum', () => {
  it.each<[string, string, boolean]>([
    ['the checksum of EIP-55', RIGHT, false],
    ['lower case', RIGHT.toLowerCase(), false],
    ['upper case', `0x${RIGHT.slice(2).toUpperCase()}`, false],
    ['digits only', `0x${'1'.repeat(40)}`, false],
    ['another mixed case', WRONG, true],
    ['a mistyped digit', RIGHT.replace('4', '5'), true],
  ])('says of %s', (_title, address, wrong) => {
    expect(hasWrongChecksum(address)).toBe(wrong);
  });
});

describe('findWrongChecksum', () => {
  it('finds the first wrong address in lists and objects, and leaves out what it is told', () => {
    expect(findWrongChecksum({ chains: [{ id: 1, factories: [RIGHT, WRONG] }] })).toBe('chains.0.factories.1');
    expect(findWrongChecksum({ value: WRONG, hash: `0x${WRONG.slice(2).repeat(2)}` }, new Set(['value']))).toBe(
      undefined,
    );
    expect(findWrongChecksum([null, 1, RIGHT])).toBe(undefined);
  });
});
