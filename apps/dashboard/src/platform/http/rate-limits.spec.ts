import { AUTH_TOKEN, SESSION_TOKEN } from '../crypto/secret-text';
import { TooManyRequestsError } from './dashboard-errors';
import { RateLimits } from './rate-limits';

const limits = (rateLimitPerTokenPerMinute: number) =>
  new RateLimits({
    rateLimitPerTokenPerMinute,
    apiKeyIndexKey: '11'.repeat(32),
    natsUrl: 'nats://127.0.0.1:1',
  } as never);
const ADDRESS = '192.0.2.1';

describe('RateLimits', () => {
  it('count all tokens of an account together, from all addresses', () => {
    const rates = limits(2);
    const call = (credential: string, address: string) =>
      rates.recognize({ payer: rates.charge({ address, credential }), credential, ownerId: 'a' });
    call(AUTH_TOKEN.generate(), '192.0.2.1');
    call(AUTH_TOKEN.generate(), '192.0.2.2');
    expect(() => call(AUTH_TOKEN.generate(), '192.0.2.3')).toThrow(TooManyRequestsError);
  });

  it('count a request for the address again once its token is revoked', () => {
    const rates = limits(2);
    const credential = AUTH_TOKEN.generate();
    rates.recognize({ payer: rates.charge({ address: ADDRESS, credential }), credential, ownerId: 'a' });
    const ofAddress = rates.charge({ address: ADDRESS, credential: 'x' });
    expect(rates.charge({ address: ADDRESS, credential })).not.toBe(ofAddress);
    rates.forget({ address: ADDRESS, credential });
    expect(rates.charge({ address: ADDRESS, credential })).toBe(ofAddress);
  });

  it('do not let requests that wait for their look-up pass the limit of an address together', () => {
    const rates = limits(2);
    const charge = () => rates.charge({ address: ADDRESS, credential: AUTH_TOKEN.generate() });
    charge();
    charge();
    expect(charge).toThrow(expect.objectContaining({ retryAfterSeconds: expect.any(Number) }));
  });

  it.each([
    ['auth tokens', AUTH_TOKEN],
    ['sessions', SESSION_TOKEN],
  ])('slow down guesses of %s from an address, but not known ones from there', (_what, kind) => {
    const rates = limits(100_000);
    const [known, late] = [kind.generate(), kind.generate()];
    rates.recognize({
      payer: rates.charge({ address: ADDRESS, credential: known }),
      credential: known,
      ownerId: 'a',
    });
    for (let guesses = 0; guesses < 305; guesses++) rates.forget({ address: ADDRESS, credential: kind.generate() });
    expect(() => rates.charge({ address: ADDRESS, credential: late })).toThrow(
      expect.objectContaining({ retryAfterSeconds: 1 }),
    );
    rates.charge({ address: ADDRESS, credential: known });
    rates.charge({ address: '192.0.2.2', credential: late });
  });

  it('take all addresses of one IPv6 customer for one', () => {
    const rates = limits(10);
    const charge = (address: string) => rates.charge({ address, credential: 'x' });
    expect(charge('2001:db8:1:2::1')).toBe(charge('2001:db8:1:2:ffff::9'));
    expect(charge('2001:db8:1:3::1')).not.toBe(charge('2001:db8:1:2::1'));
  });

  it('contain no names of clients in messages to other processes', () => {
    expect(limits(10).charge({ address: ADDRESS, credential: 'x' })).toMatch(/^[\w-]{22}$/);
  });

  it('are off at 0', () => {
    const rates = limits(0);
    for (let sent = 0; sent < 1_000; sent++) {
      rates.charge({ address: ADDRESS, credential: 'x' });
      rates.forget({ address: ADDRESS, credential: 'x' });
    }
  });
});
