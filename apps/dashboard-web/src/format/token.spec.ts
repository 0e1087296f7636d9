import { exactTokenAmount, tokenAmount, tokenRate } from './token';

const USDX = { symbol: 'USDx', decimals: 6 };

it.each([
  ['8928576', '8.928576 USDx'],
  ['1234000000', '1,234 USDx'],
])('%s base units are %s', (amount, shown) => expect(tokenAmount(amount, USDX)).toBe(shown));

it('of a token with 18 digits a person reads six, and sees the others on hover', () => {
  const dai = { symbol: 'DAIx', decimals: 18 };
  expect(tokenAmount('3642990715637952589', dai)).toBe('3.64299 DAIx');
  expect(tokenAmount('990715637952', dai)).toBe('0.000000990715 DAIx');
  expect(exactTokenAmount('3642990715637952589', dai)).toBe('3.642990715637952589 DAIx');
});

it.each([
  ['8928576', '2547047569492044', '3,505.461031 USDx'],
  ['1', '1000000000000000000', '0.000001 USDx'],
  ['1', '0', undefined],
])('%s base units for %s wei are %s for a whole coin', (amount, wei, shown) => {
  expect(tokenRate(amount, wei, USDX)).toBe(shown);
});
