import { generateAuthToken } from '../accounts/auth-token';
import { TooManyRequestsError } from './dashboard-errors';
import { RateLimits } from './rate-limits';

const limits = (rateLimitPerTokenPerMinute: number) =>
  new RateLimits({
    rateLimitPerTokenPerMinute,
    apiKeyIndexKey: '11'.repeat(32),
    natsUrl: 'nats://127.0.0.1:1',
  } as never);
const account = (id: string) => ({ id, name: id, createdAt: new Date() });
const ADDRESS = '192.0.2.1';

describe('RateLimits', () => {
  it('count all tokens of an account together, from all addresses', () => {
    const rates = limits(2);
    const call = (authToken: string, address: string) =>
      rates.recognize({ payer: rates.charge({ address, authToken }), authToken, account: account('a') });
    call(generateAuthToken(), '192.0.2.1');
    call(generateAuthToken(), '192.0.2.2');
    expect(() => call(generateAuthToken(), '192.0.2.3')).toThrow(TooManyRequestsError);
  });

  it('count a request for the address again once its token is revoked', () => {
    const rates = limits(2);
    const authToken = generateAuthToken();
    rates.recognize({ payer: rates.charge({ address: ADDRESS, authToken }), authToken, account: account('a') });
    const ofAddress = rates.charge({ address: ADDRESS, authToken: 'x' });
    expect(rates.charge({ address: ADDRESS, authToken })).not.toBe(ofAddress);
    rates.forget({ address: ADDRESS, authToken });
    expect(rates.charge({ address: ADDRESS, authToken })).toBe(ofAddress);
  });

  it('do not let requests that wait for their look-up pass the limit of an address together', () => {
    const rates = limits(2);
    const charge = () => rates.charge({ address: ADDRESS, authToken: generateAuthToken() });
    charge();
    charge();
    expect(charge).toThrow(expect.objectContaining({ retryAfterSeconds: expect.any(Number) }));
  });

  it('slow down guesses from an address, but not known tokens from there', () => {
    const rates = limits(100_000);
    const [known, late] = [generateAuthToken(), generateAuthToken()];
    rates.recognize({
      payer: rates.charge({ address: ADDRESS, authToken: known }),
      authToken: known,
      account: account('a'),
    });
    for (let guesses = 0; guesses < 305; guesses++) rates.forget({ address: ADDRESS, authToken: generateAuthToken() });
    expect(() => rates.charge({ address: ADDRESS, authToken: late })).toThrow(
      expect.objectContaining({ retryAfterSeconds: 1 }),
    );
    rates.charge({ address: ADDRESS, authToken: known });
    rates.charge({ address: '192.0.2.2', authToken: late });
  });

  it('take all addresses of one IPv6 customer for one', () => {
    const rates = limits(10);
    const charge = (address: string) => rates.charge({ address, authToken: 'x' });
    expect(charge('2001:db8:1:2::1')).toBe(charge('2001:db8:1:2:ffff::9'));
    expect(charge('2001:db8:1:3::1')).not.toBe(charge('2001:db8:1:2::1'));
  });

  it('contain no names of clients in messages to other processes', () => {
    expect(limits(10).charge({ address: ADDRESS, authToken: 'x' })).toMatch(/^[\w-]{22}$/);
  });

  it('are off at 0', () => {
    const rates = limits(0);
    for (let sent = 0; sent < 1_000; sent++) {
      rates.charge({ address: ADDRESS, authToken: 'x' });
      rates.forget({ address: ADDRESS, authToken: 'x' });
    }
  });
});
