import { keyGrantBuilder } from '@paymaster/domain/testing';
import { clientSite } from '@paymaster/nest-kit';
import { ClientNames } from './client-names';
import { forwardedClient } from './forwarded-client';

const PROXY = '198.51.100.1';
const secret = { ...keyGrantBuilder().build(), kind: 'SECRET' as const };
const of = (headers: Record<string, string | string[]>, key = secret, paymasterId = 'p') =>
  forwardedClient({ headers, clientAddress: PROXY }, key, paymasterId);

describe('the client of a request', () => {
  it('is the proxy where nobody is named', () => {
    expect(of({})).toBe(PROXY);
    expect(forwardedClient({ clientAddress: PROXY }, secret, 'p')).toBe(PROXY);
  });

  it('is who the app names with a secret key', () => {
    const [alice, bob] = [of({ 'x-forwarded-user': 'alice' }), of({ 'x-forwarded-user': 'bob' })];
    const names = new ClientNames('ab'.repeat(32));
    const sites = [alice, bob, of({ 'x-forwarded-user': 'alice' }, secret, 'q'), PROXY].map(clientSite);
    expect(new Set(sites).size).toBe(4);
    expect(names.of(alice)).toEqual(names.of(of({ 'x-forwarded-user': 'alice' })));
    expect(new Set([alice, bob].map((client) => names.of(client).network)).size).toBe(2);
    expect(JSON.stringify(names.of(alice))).not.toContain('alice');
  });

  it('is the address that the app names, at this paymaster alone: its turns elsewhere are its own', () => {
    const at = (address: string, paymasterId?: string) =>
      clientSite(of({ 'x-client-address': address }, secret, paymasterId));
    expect(at('203.0.113.7')).toBe(at('203.0.113.7'));
    expect(at('2001:db8:1:2::7')).toBe(at('2001:db8:1:3::8'));
    const others = ['203.0.113.7', at('203.0.113.7', 'q'), at('203.0.113.8'), at('2001:db8:1::7')];
    expect(others).not.toContain(at('203.0.113.7'));
  });

  it('is the proxy with a publishable key, whatever the headers say', () => {
    const publishable = { ...secret, kind: 'PUBLISHABLE' as const };
    for (const headers of [
      { 'x-forwarded-user': 'alice' },
      { 'x-client-address': '203.0.113.7' },
      { 'x-forwarded-user': '' },
    ]) {
      expect(forwardedClient({ headers, clientAddress: PROXY }, publishable as never, 'p')).toBe(PROXY);
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
