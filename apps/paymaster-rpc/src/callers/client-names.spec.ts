import { NetworkNames } from '@paymaster/messaging';
import { userAsClient } from '@paymaster/nest-kit';
import { ClientNames } from './client-names';

const SECRET = 'ab'.repeat(32);

describe('ClientNames', () => {
  const names = new ClientNames(SECRET);

  it('has one name for a client in every process with the secret, and another name with another secret', () => {
    expect(new ClientNames(`0x${SECRET}`).of('203.0.113.7')).toEqual(names.of('203.0.113.7'));
    expect(new ClientNames('cd'.repeat(32)).of('203.0.113.7')).not.toEqual(names.of('203.0.113.7'));
  });

  it('says nothing of the address', () => {
    for (const name of Object.values(names.of('2001:db8:7:9::1'))) expect(name).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('can be opened by the dashboard for an address or a /48, and not for a user', () => {
    const dashboard = new NetworkNames(SECRET);
    expect(dashboard.open(names.of('::ffff:203.0.113.7').site)).toBe('203.0.113.7');
    expect(dashboard.open(names.of('2001:db8:7:9::1').site)).toBe('2001:db8:7::/48');
    expect(dashboard.open(names.of('2001:db8:7:9::1').network)).toBeUndefined();
    expect(dashboard.open(names.of(userAsClient('p alice')).site)).toBeUndefined();
  });

  it('knows the networks of one site, and tells sites and addresses apart', () => {
    const [one, same, beside, elsewhere] = ['2001:db8:7:9::1', '2001:db8:7:9::2', '2001:db8:7:a::1', '2001:db8:8:9::1'];
    expect(names.of(one)).toEqual(names.of(same));
    expect(names.of(beside).network).not.toBe(names.of(one).network);
    expect(names.of(beside).site).toBe(names.of(one).site);
    expect(names.of(elsewhere).site).not.toBe(names.of(one).site);
  });

  it.each(['203.0.113.7', '::ffff:203.0.113.7', undefined])('%s is its own site', (address) => {
    const { network, site } = names.of(address);
    expect(network).toBe(site);
  });
});
