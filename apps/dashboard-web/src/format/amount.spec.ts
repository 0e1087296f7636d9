import { exactAmount, parseCoins, shortAmount } from './amount';

describe('shortAmount', () => {
  it.each([
    ['0', '0 ETH'],
    ['1000000000000000000', '1 ETH'],
    ['1234567890000000000000', '1,234.5678 ETH'],
    ['859158999999999', '0.0008591 ETH'],
    ['420000000', '0.42 gwei'],
    ['10000', '0.00001 gwei'],
    ['9999', '9,999 wei'],
    ['-1500000000000000000', '-1.5 ETH'],
  ])('shows %s wei as %s', (wei, shown) => {
    expect(shortAmount(wei, 'ETH')).toBe(shown);
  });

  it('never shows more than there is', () => {
    expect(shortAmount('1999999999999999999', 'ETH')).toBe('1.9999 ETH');
  });
});

describe('exactAmount', () => {
  it('keeps every digit and names both units', () => {
    expect(exactAmount('1000000000000000001', 'ETH')).toBe('1.000000000000000001 ETH = 1,000,000,000,000,000,001 wei');
  });
});

describe('parseCoins', () => {
  it.each([
    ['0.5', 500_000_000_000_000_000n],
    [' 1 ', 10n ** 18n],
    ['0.000000000000000001', 1n],
  ])('reads %s', (text, wei) => {
    expect(parseCoins(text)).toBe(wei);
  });

  it.each(['', '1e18', '-1', '1,5', '0x10', '0.0000000000000000001', 'one'])('refuses "%s"', (text) => {
    expect(parseCoins(text)).toBeUndefined();
  });
});
