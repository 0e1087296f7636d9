import { clientNetwork, clientSite } from './client-network';

describe('clientNetwork', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3::203.0.113.7', '1:2:3:0::/64'],
    ['unix:', 'unknown'],
    ['203.0.113.7, 10.0.0.1', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  it('is the same for every address that one customer of IPv6 has, and another for the next customer', () => {
    expect(clientNetwork('2001:db8:1:2:ffff::9')).toBe(clientNetwork('2001:db8:1:2::1'));
    expect(clientNetwork('2001:db8:1:3::1')).not.toBe(clientNetwork('2001:db8:1:2::1'));
  });
});

describe('clientSite', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::', '2001:db8:0::/48'],
    [undefined, 'unknown'],
  ])('of %s is %s', (address, site) => {
    expect(clientSite(address)).toBe(site);
  });
});
