import { preflightHeaders } from './cors';

const PAGE = 'https://dapp.example';
const OWN = 'content-type, accept, x-api-key, authorization, x-session-token, x-request-id';
const allowedFor = (asked?: string) => preflightHeaders(PAGE, ['*'], asked)['access-control-allow-headers'];

describe('preflightHeaders', () => {
  it.each<[string, string]>([
    ['Traceparent,sentry-trace , baggage', 'traceparent, sentry-trace, baggage'],
    ['content-type, x-b3-traceid', 'x-b3-traceid'],
    [Array.from({ length: 32 }, (_, index) => `x-${index}`).join(), Array.from({ length: 32 }, (_, index) => `x-${index}`).join(', ')], // prettier-ignore
  ])('allows the headers that tracing adds: %s', (asked, added) => {
    expect(allowedFor(asked)).toBe(`${OWN}, ${added}`);
  });

  it.each<[string, string | undefined]>([
    ['asked for nothing', undefined],
    ['asked for an empty list', ''],
    ['a name with a space', 'traceparent, x y'],
    ['an empty name', 'traceparent,,baggage'],
    ['a new line', 'traceparent\r\nset-cookie: a'],
    ['a name beyond ASCII', 'träceparent'],
    ['a name of 65 characters', 'x'.repeat(65)],
    ['33 names', Array.from({ length: 33 }, (_, index) => `x${index}`).join()],
    ['a list of 1,025 characters', `${'x'.repeat(50)},`.repeat(20) + 'x'.repeat(5)],
  ])('allows only its own with %s', (_title, asked) => {
    expect(allowedFor(asked)).toBe(OWN);
  });

  it('tells caches what the answer depends on', () => {
    expect(preflightHeaders(PAGE, ['*'])['vary']).toBe('Access-Control-Request-Headers');
    expect(preflightHeaders(PAGE, [PAGE])['vary']).toBe('Origin, Access-Control-Request-Headers');
  });

  it('allows the pages of other origins nothing', () => {
    expect(preflightHeaders('https://evil.example', [PAGE], 'traceparent')).toEqual({ vary: 'Origin' });
  });
});
