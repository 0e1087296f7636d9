import { redactUrl } from './redaction';

const KEY = 'lU3R_dRgt.22c06266-1faa-4c47-8477-e8eaacd90330';

describe('redactUrl', () => {
  it.each([
    [`/api/v2/31337/${KEY}`, '/api/v2/31337/[redacted]'],
    [`//api/v1/31337/${KEY}/`, '//api/v1/31337/[redacted]/'],
    ['/api/v2/31337/not-a-key', '/api/v2/31337/[redacted]'],
    [`/other/${KEY}?apiKey=${KEY}`, '/other/[redacted]'],
    [`/api/v2/public/sdk/pm_auth_${'a_-1'.repeat(12)}`, '/api/v2/public/sdk/[redacted]'],
    ['/health/ready?x=1', '/health/ready'],
    ['/api/v2/public/sdk/paymaster', '/api/v2/public/sdk/paymaster'],
    ['/', '/'],
  ])('%s is logged as %s', (url, expected) => {
    expect(redactUrl(url)).toBe(expected);
  });
});
