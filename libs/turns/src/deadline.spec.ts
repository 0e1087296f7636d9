import { RequestTimedOutError } from '@paymaster/domain';
import { assertInTime, inTime, NO_DEADLINE, timeoutWithin } from './deadline';

describe('timeoutWithin', () => {
  it.each([
    ['its own bound, while the request has more', { deadlineMs: 10_000, boundMs: 3_000, nowMs: 6_999 }, 3_000],
    ['what is left of the request, rounded up', { deadlineMs: 10_000, boundMs: 3_000, nowMs: 9_900.5 }, 100],
    ['a millisecond, when there is hardly anything', { deadlineMs: 10_000, boundMs: 3_000, nowMs: 9_999.9 }, 1],
    ['its own bound, where no request waits', { deadlineMs: NO_DEADLINE, boundMs: 3_000, nowMs: 0 }, 3_000],
  ])('gives a call %s', (_title, { deadlineMs, ...call }, timeoutMs) => {
    expect(timeoutWithin(deadlineMs, call)).toBe(timeoutMs);
  });

  it('makes no call when the time is up', () => {
    const late = () => timeoutWithin(10_000, { boundMs: 3_000, nowMs: 10_000 });
    expect(late).toThrow(RequestTimedOutError);
    expect(late).toThrow(expect.objectContaining({ reason: 'REQUEST_TIMED_OUT', dependency: 'gateway' }));
  });
});

it('assertInTime lets pass what is in time', () => {
  expect(() => assertInTime(10_000, 9_999)).not.toThrow();
  expect(() => assertInTime(10_000, 10_000)).toThrow(RequestTimedOutError);
});

it('inTime gives the result, or what is to be said when it is late', async () => {
  const never = new Promise<number>(() => undefined);
  await expect(inTime(Promise.resolve(7), 1_000, () => 8)).resolves.toBe(7);
  await expect(inTime(Promise.reject(new Error('no')), 1_000, () => 8)).rejects.toThrow('no');
  await expect(inTime(never, 10, () => 8)).resolves.toBe(8);
  await expect(inTime(never, 10, () => Promise.reject(new Error('late')))).rejects.toThrow('late');
});
