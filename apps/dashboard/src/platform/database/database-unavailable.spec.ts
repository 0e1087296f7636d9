import { QueryFailedError } from 'typeorm';
import { isDatabaseUnavailable } from './database-unavailable';

const failedWith = (code: string) => new QueryFailedError('SELECT 1', [], Object.assign(new Error('x'), { code }));

describe('isDatabaseUnavailable', () => {
  it.each(['57P01', '57P03', '53300', '08006', '57014', '55P03'])('holds for SQLSTATE %s', (code) => {
    expect(isDatabaseUnavailable(failedWith(code))).toBe(true);
  });

  it.each(['23505', '42P01', '22P02'])('does not hold for SQLSTATE %s, which is our fault', (code) => {
    expect(isDatabaseUnavailable(failedWith(code))).toBe(false);
  });

  it('holds when nobody listens, and when the pool gives up', () => {
    expect(isDatabaseUnavailable(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).toBe(true);
    expect(isDatabaseUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true);
  });

  it.each([undefined, null, 'text', new TypeError('x is not a function')])('does not hold for %s', (error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
