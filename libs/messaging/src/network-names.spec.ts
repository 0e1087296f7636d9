import { NetworkNames } from './network-names';

describe('NetworkNames', () => {
  const names = new NetworkNames('ab'.repeat(32));

  it.each(['203.0.113.7', '0.0.0.0', '255.255.255.255', '2001:db8:1::/48', '0:0:0::/48', 'ffff:ffff:ffff::/48'])(
    'names %s with characters that say nothing, and opens the name again',
    (network) => {
      const name = names.of(network);
      expect(name).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(names.open(name ?? '')).toBe(network);
      expect(new NetworkNames(`0x${'ab'.repeat(32)}`).of(network)).toBe(name);
    },
  );

  it('gives each network another name', () => {
    const networks = ['203.0.113.7', '203.0.113.8', '2001:db8:1::/48', '2001:db8:2::/48', '4:0:0::/48', '0.4.0.0'];
    expect(new Set(networks.map((network) => names.of(network))).size).toBe(networks.length);
  });

  it('opens no name of another key, and nothing that is no name', () => {
    const other = new NetworkNames('cd'.repeat(32)).of('203.0.113.7') ?? '';
    for (const name of [other, '', 'a', 'A'.repeat(22), `${other}AA`]) expect(names.open(name)).toBeUndefined();
  });

  it.each(['user:p alice', 'unknown', '2001:db8:1:2::/64', '2001:DB8:1::/48', '203.0.113.0/24', ''])(
    'has no name for %j',
    (text) => expect(names.of(text)).toBeUndefined(),
  );
});
