import { changesOf, draftOf, NEW_TOKEN, sendableToken, type Token } from './token-draft';

const token: Token = {
  ...{ source: 'paymaster', address: '0xab', symbol: 'USDx', decimals: 6, logoUrl: null, transferGas: 65_000 },
  price: { feed: { address: '0xfe', heartbeatSeconds: 60 }, apiId: 'usd-coin', fixedUsd: null, coinFeed: null },
  ...{ premiumPercentage: '10', exposureCapWei: null, chargingWays: ['permit'] },
};

describe('changesOf', () => {
  it('has the address only of a token that was not changed', () => {
    expect(changesOf(draftOf(token), token)).toEqual({ address: '0xab', expected: {} });
  });

  it('has what was changed, the whole price and null for a cap that was taken away, and what was read of it', () => {
    const capped = { ...token, exposureCapWei: '5' };
    const { prices, ...others } = draftOf(capped);
    const draft = { ...others, prices: { ...prices, feed: '' }, exposureCapWei: '' };
    expect(changesOf(draft, capped)).toEqual({
      ...{ address: '0xab', exposureCapWei: null, price: { apiId: 'usd-coin' } },
      expected: { exposureCapWei: '5', price: token.price },
    });
  });
});

it('sendableToken leaves out sources that are not named', () => {
  const draft = { ...NEW_TOKEN, address: ' 0xab ', prices: { ...NEW_TOKEN.prices, fixedUsd: ' 1' } };
  expect(sendableToken(draft)).toMatchObject({ address: '0xab', price: { fixedUsd: '1' }, premiumPercentage: '10' });
});
