import { isTimeZone, quietUntil } from './quiet-hours';

const NIGHT = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };

const untilOf = (hours: { from: string; to: string; timeZone: string }, at: string) =>
  quietUntil(hours, new Date(at))?.toISOString();

describe('quietUntil', () => {
  it.each([
    ['before', '2026-11-29T20:59:59Z', undefined],
    ['from the first minute', '2026-11-29T21:00:00Z', '2026-11-30T06:00:00.000Z'],
    ['after midnight', '2026-11-30T02:10:30Z', '2026-11-30T06:00:00.000Z'],
    ['until the last minute', '2026-11-30T05:59:59.999Z', '2026-11-30T06:00:00.000Z'],
    ['after', '2026-11-30T06:00:00Z', undefined],
    // 29 March 2026, 2:00 becomes 3:00: an hour less to wait.
    ['over the night in which the clock is put forward', '2026-03-28T21:00:00Z', '2026-03-29T05:00:00.000Z'],
    // 25 October 2026, 3:00 becomes 2:00: an hour more.
    ['over the night in which the clock is put back', '2026-10-24T20:00:00Z', '2026-10-25T06:00:00.000Z'],
  ])('%s', (_title, at, end) => expect(untilOf(NIGHT, at)).toBe(end));

  it('ends with the hour that does not exist, when it was to end in it', () => {
    expect(untilOf({ ...NIGHT, to: '02:30' }, '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  it('begins again where the clock is put back into it', () => {
    const hours = { ...NIGHT, from: '02:00', to: '02:30' };
    expect(untilOf(hours, '2026-10-25T00:10:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(untilOf(hours, '2026-10-25T00:40:00Z')).toBeUndefined();
    expect(untilOf(hours, '2026-10-25T01:10:00Z')).toBe('2026-10-25T01:30:00.000Z');
  });

  it('is within one day where it ends after it began', () => {
    const lunch = { from: '12:00', to: '13:15', timeZone: 'Asia/Kathmandu' };
    expect(untilOf(lunch, '2026-01-05T06:30:00Z')).toBe('2026-01-05T07:30:00.000Z');
    expect(untilOf(lunch, '2026-01-05T08:30:00Z')).toBeUndefined();
  });
});

it.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Europe/Atlantis', false],
  ['+02:00', false],
  [5, false],
  ['', false],
])('isTimeZone(%j): %s', (name, is) => expect(isTimeZone(name)).toBe(is));
