import { redactUrl } from './redaction';

const KNOWN = new Set(['api', 'public', 'sdk', 'paymaster', 'health', 'ready']);
const KEY = 'lU3R_dRgt.22c06266-1faa-4c47-8477-e8eaacd90330';

describe('redactUrl', () => {
  it.each([
    [`/api/v2/31337/${KEY}`, '/api/v2/31337/[redacted]'],
    [`//api/v1/31337/${KEY}/`, '//api/v1/31337/[redacted]/'],
    ['/api/v2/31337/not-a-key', '/api/v2/31337/[redacted]'],
    [`/other/${KEY}?apiKey=${KEY}`, '/[5 characters]/[redacted]'],
    ['/api/v2/public/sdk/hunter2', '/api/v2/public/sdk/[7 characters]'],
    ['/api/v2/public/sdk/paymaster%20hunter2/', '/api/v2/public/sdk/[19 characters]/'],
    [`/api/v2/public/sdk/paymaster/${KEY.slice(10)}`, `/api/v2/public/sdk/paymaster/${KEY.slice(10)}`],
    ['/x'.repeat(8_000), `${'/[1 characters]'.repeat(15)}/...`],
    [`/api/v2/public/sdk/pm_auth_${'a_-1'.repeat(12)}`, '/api/v2/public/sdk/[redacted]'],
    [`/sign-in/pm_code_${'a_-1'.repeat(12)}`, '/[7 characters]/[redacted]'],
    ['/health/ready?x=1', '/health/ready'],
    ['/api/v2/public/sdk/paymaster', '/api/v2/public/sdk/paymaster'],
    ['/', '/'],
  ])('%s is logged as %s', (url, expected) => {
    expect(redactUrl(url, KNOWN)).toBe(expected);
  });
});
