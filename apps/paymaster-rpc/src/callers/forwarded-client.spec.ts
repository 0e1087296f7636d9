import { clientSite } from '@paymaster/nest-kit';
import { ClientNames } from './client-names';
import { askerOf, type Trust } from './forwarded-client';

const PROXY = '198.51.100.1';
const SECRET: Trust = { kind: 'SECRET', servers: [] };
const askerWith = (headers: Record<string, string | string[]>, trust = SECRET, paymasterId = 'p') =>
  askerOf({ headers, clientAddress: PROXY }, trust, paymasterId);
const of = (...asked: Parameters<typeof askerWith>) => askerWith(...asked).clientAddress;

describe('the client of a request', () => {
  it('is not counted when a server of the owner names no user', () => {
    const uncounted = { clientAddress: PROXY, isUncounted: true };
    expect(askerWith({})).toEqual(uncounted);
    expect(askerOf({ clientAddress: PROXY }, SECRET, 'p')).toEqual(uncounted);
    for (const servers of [[PROXY], ['203.0.113.0/24', '198.51.100.0/24']]) {
      expect(askerWith({}, { kind: 'PUBLISHABLE', servers })).toEqual(uncounted);
      expect(askerWith({}, { kind: undefined, servers })).toEqual(uncounted);
    }
    const byIpv6 = askerOf(
      { clientAddress: '2001:db8:1:2::7' },
      { kind: undefined, servers: ['2001:db8:1::/48'] },
      'p',
    );
    expect(byIpv6.isUncounted).toBe(true);
    const mapped = askerOf({ clientAddress: `::ffff:${PROXY}` }, { kind: undefined, servers: [PROXY] }, 'p');
    expect(mapped.isUncounted).toBe(true);
  });

  it('is a stranger where the owner named other servers, and where the address is not known', () => {
    const servers = ['203.0.113.0/24', '198.51.100.2'];
    expect(askerWith({}, { kind: undefined, servers })).toEqual({ clientAddress: PROXY, isUncounted: false });
    expect(askerOf({ clientAddress: undefined }, { kind: undefined, servers }, 'p').isUncounted).toBe(false);
  });

  it('is the user whom a named server names, with any key', () => {
    const named = { kind: undefined, servers: [PROXY] };
    expect(askerWith({ 'x-forwarded-user': 'alice' }, named)).toEqual(askerWith({ 'x-forwarded-user': 'alice' }));
    expect(askerWith({ 'x-forwarded-user': 'alice' }, named).isUncounted).toBe(false);
  });

  it('is the user whom the app names with a secret key', () => {
    const [alice, bob] = [of({ 'x-forwarded-user': 'alice' }), of({ 'x-forwarded-user': 'bob' })];
    const names = new ClientNames('ab'.repeat(32));
    const sites = [alice, bob, of({ 'x-forwarded-user': 'alice' }, SECRET, 'q'), PROXY].map(clientSite);
    expect(new Set(sites).size).toBe(4);
    expect(names.of(alice)).toEqual(names.of(of({ 'x-forwarded-user': 'alice' })));
    expect(new Set([alice, bob].map((client) => names.of(client).network)).size).toBe(2);
    expect(JSON.stringify(names.of(alice))).not.toContain('alice');
  });

  it('is the address that the app names, at this paymaster alone: its turns elsewhere are its own', () => {
    const at = (address: string, paymasterId?: string) =>
      clientSite(of({ 'x-client-address': address }, SECRET, paymasterId));
    expect(at('203.0.113.7')).toBe(at('203.0.113.7'));
    expect(at('2001:db8:1:2::7')).toBe(at('2001:db8:1:3::8'));
    const others = ['203.0.113.7', at('203.0.113.7', 'q'), at('203.0.113.8'), at('2001:db8:1::7')];
    expect(others).not.toContain(at('203.0.113.7'));
  });

  it('is the proxy when a publishable key comes from an address that the owner did not name, whatever the headers say', () => {
    for (const [header, value] of [
      ['x-forwarded-user', 'alice'],
      ['x-client-address', '203.0.113.7'],
      ['x-forwarded-user', ''],
    ] as const) {
      const asker = askerWith({ [header]: value }, { kind: 'PUBLISHABLE', servers: ['203.0.113.7'] });
      expect(asker).toEqual({ clientAddress: PROXY, isUncounted: false });
    }
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['x-forwarded-user', { 'x-forwarded-user': '' }],
    ['x-forwarded-user', { 'x-forwarded-user': 'mallory, alice' }],
    ['x-forwarded-user', { 'x-forwarded-user': ['mallory', 'alice'] }],
    ['x-forwarded-user', { 'x-forwarded-user': 'a'.repeat(129) }],
    ['x-forwarded-user', { 'x-forwarded-user': ' alice' }],
    ['x-forwarded-user', { 'x-forwarded-user': 'alice ' }],
    ['x-forwarded-user', { 'x-forwarded-user': 'ali\tce' }],
    ['x-forwarded-user', { 'x-forwarded-user': 'älice' }],
    ['x-client-address', { 'x-client-address': 'alice' }],
    ['x-client-address', { 'x-client-address': '203.0.113.7, 203.0.113.8' }],
    ['x-client-address', { 'x-client-address': '203.0.113.7:80' }],
    ['x-client-address', { 'x-client-address': 'fe80::1%eth0' }],
    ['x-client-address', { 'x-client-address': '203.0.113.7', 'x-forwarded-user': 'alice' }],
  ])('is refused by the name of the header %s in %j', (field, headers) => {
    expect(() => of(headers)).toThrow(expect.objectContaining({ reason: 'INVALID_PARAMS', field }));
  });
});
