import { endedSessionCookie, sessionCookie, sessionTokenOf } from './session-cookie';

describe('the cookie of a session', () => {
  it('is out of reach for scripts, for other sites and for plain http, and lasts 30 days', () => {
    expect(sessionCookie('abc')).toBe(
      '__Host-paymaster-session=abc; Max-Age=2592000; Path=/; Secure; HttpOnly; SameSite=Lax',
    );
    expect(endedSessionCookie()).toBe('__Host-paymaster-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax');
  });

  it.each([
    ['alone', '__Host-paymaster-session=abc', 'abc'],
    ['among others', 'a=1; __Host-paymaster-session=abc; b=2', 'abc'],
    ['not there', 'a=1; paymaster-session=abc', ''],
    ['under a name that ends alike', 'x__Host-paymaster-session=abc', ''],
    ['sent twice', '__Host-paymaster-session=abc; __Host-paymaster-session=def', ''],
    ['empty', '', ''],
  ])('is read where it is %s', (_where, header, token) => expect(sessionTokenOf(header)).toBe(token));
});
