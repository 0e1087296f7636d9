import { randomAddress } from '@paymaster/domain/testing';
import { PriceUnavailableError } from '@paymaster/pricing';
import { priceEach } from './price-each';

const [a, b, c] = [randomAddress(), randomAddress(), randomAddress()];
const stale = new PriceUnavailableError('STALE', 'too old');
const each = (prices: ReadonlyArray<[string, number | Error]>) =>
  priceEach(prices, {
    addressOf: ([address]) => address as typeof a,
    price: ([, price]) => {
      if (price instanceof Error) throw price;
      return price;
    },
  });

describe('priceEach', () => {
  it('leaves out the token that has no price, and says why', () => {
    const answer = each([
      [a, 1],
      [b, stale],
      [c, 3],
    ]);
    expect(answer).toEqual({ priced: [1, 3], unavailable: [{ token: b, reason: 'STALE' }] });
  });

  it('fails with the first reason when nothing has a price', () => {
    expect(() =>
      each([
        [a, stale],
        [b, new PriceUnavailableError('JUMPED', '')],
      ]),
    ).toThrow(stale);
  });

  it('is empty when nothing is asked', () => {
    expect(each([])).toEqual({ priced: [], unavailable: [] });
  });

  it('does not hide a fault of ours', () => {
    expect(() =>
      each([
        [a, 1],
        [b, new TypeError('ours')],
      ]),
    ).toThrow(TypeError);
  });
});
