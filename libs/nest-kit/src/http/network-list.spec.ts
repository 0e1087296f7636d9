import { NetworkList } from './network-list';

describe('NetworkList', () => {
  const list = new NetworkList(['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '2001:db9::1']);

  it.each<[string | undefined, boolean]>([
    ['203.0.113.255', true],
    ['203.0.114.0', false],
    ['198.51.100.7', true],
    ['::ffff:198.51.100.7', true],
    ['2001:db8:ffff::1', true],
    ['2001:db9::1', true],
    ['2001:db9::1%eth0', true],
    ['2001:db9::2', false],
    ['user:203.0.113.7', false],
    ['', false],
    [undefined, false],
  ])('has %s: %s', (address, isIn) => {
    expect(list.has(address)).toBe(isIn);
  });

  it('without networks has nobody', () => {
    expect(new NetworkList([]).has('203.0.113.7')).toBe(false);
  });
});
