import { generateAuthToken } from '../accounts/auth-token';
import { TooManyRequestsError } from './dashboard-errors';
import { RateLimits } from './rate-limits';

const account = (id: string) => ({ id, name: id, createdAt: new Date() });
const ADDRESS = '192.0.2.1';

describe('RateLimits', () => {
  it('charge an account for all its tokens, from wherever they come', () => {
    const rates = new RateLimits({ rateLimitPerTokenPerMinute: 2 });
    const call = (authToken: string, address: string) =>
      rates.recognize({ payer: rates.charge({ address, authToken }), authToken, account: account('a') });
    call(generateAuthToken(), '192.0.2.1');
    call(generateAuthToken(), '192.0.2.2');
    expect(() => call(generateAuthToken(), '192.0.2.3')).toThrow(TooManyRequestsError);
  });

  it('charge the address again for a token that is good no longer', () => {
    const rates = new RateLimits({ rateLimitPerTokenPerMinute: 2 });
    const authToken = generateAuthToken();
    rates.recognize({ payer: rates.charge({ address: ADDRESS, authToken }), authToken, account: account('a') });
    rates.forget(authToken);
    expect(rates.charge({ address: ADDRESS, authToken })).toBe(`address:${ADDRESS}`);
  });

  it('do not let requests that wait for their look-up pass the limit of an address together', () => {
    const rates = new RateLimits({ rateLimitPerTokenPerMinute: 2 });
    const charge = () => rates.charge({ address: ADDRESS, authToken: generateAuthToken() });
    charge();
    charge();
    expect(charge).toThrow(expect.objectContaining({ retryAfterSeconds: expect.any(Number) }));
  });

  it('are off at 0', () => {
    const rates = new RateLimits({ rateLimitPerTokenPerMinute: 0 });
    for (let sent = 0; sent < 1_000; sent++) rates.charge({ address: ADDRESS, authToken: 'x' });
  });
});
