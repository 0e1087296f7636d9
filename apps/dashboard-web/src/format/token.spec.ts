import { tokenAmount, tokenRate } from './token';

const USDX = { symbol: 'USDx', decimals: 6 };

it.each([
  ['8928576', '8.928576 USDx'],
  ['1234000000', '1,234 USDx'],
])('%s base units are %s', (amount, shown) => expect(tokenAmount(amount, USDX)).toBe(shown));

it.each([
  ['8928576', '2547047569492044', '3,505.461031 USDx'],
  ['1', '1000000000000000000', '0.000001 USDx'],
  ['1', '0', undefined],
])('%s base units for %s wei are %s for a whole coin', (amount, wei, shown) => {
  expect(tokenRate(amount, wei, USDX)).toBe(shown);
});
