import fc from 'fast-check';
import { LIMIT_CYCLES, type CycleLimit } from '@paymaster/domain';
import { calendarWindow, fixedWindow } from './limit-windows';

fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });

const seconds = (text: string) => Date.parse(text) / 1_000;
/** 1970 to 2200. */
const anyTime = fc.integer({ min: 0, max: 7_258_118_400 });
const calendarCycles = LIMIT_CYCLES.filter((cycle) => cycle !== 'LIFETIME');

describe('calendarWindow', () => {
  it.each([
    ['HOUR', '2024-02-29T23:59:59Z', '2024-02-29T23:00:00Z', '2024-03-01T00:00:00Z'],
    ['DAY', '2024-02-29T23:59:59Z', '2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['DAY', '2024-03-01T00:00:00Z', '2024-03-01T00:00:00Z', '2024-03-02T00:00:00Z'],
    ['WEEK', '2024-12-30T00:00:00Z', '2024-12-30T00:00:00Z', '2025-01-06T00:00:00Z'],
    ['WEEK', '2024-12-29T23:59:59Z', '2024-12-23T00:00:00Z', '2024-12-30T00:00:00Z'],
    ['WEEK', '1970-01-01T00:00:00Z', '1969-12-29T00:00:00Z', '1970-01-05T00:00:00Z'],
    ['MONTH', '2024-02-29T12:00:00Z', '2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z'],
    ['MONTH', '2024-12-31T23:59:59Z', '2024-12-01T00:00:00Z', '2025-01-01T00:00:00Z'],
  ] as const)('%s of %s is from %s to %s', (cycle, now, start, end) => {
    expect(calendarWindow(cycle, seconds(now))).toEqual({ name: `${seconds(start)}`, endsAtSeconds: seconds(end) });
  });

  it('LIFETIME never ends', () => {
    expect(calendarWindow('LIFETIME', 0)).toEqual(calendarWindow('LIFETIME', 4_000_000_000));
    expect(calendarWindow('LIFETIME', 0).endsAtSeconds).toBeUndefined();
  });

  it.each(calendarCycles)('%s: every second is in exactly one window, and windows follow each other', (cycle) => {
    fc.assert(
      fc.property(anyTime, (now) => {
        const { name, endsAtSeconds = NaN } = calendarWindow(cycle, now);
        const start = Number(name);
        expect(start).toBeLessThanOrEqual(now);
        expect(endsAtSeconds).toBeGreaterThan(now);
        expect(calendarWindow(cycle, start).name).toBe(name);
        expect(calendarWindow(cycle, endsAtSeconds - 1).name).toBe(name);
        expect(calendarWindow(cycle, endsAtSeconds).name).toBe(String(endsAtSeconds));
        const first = new Date(start * 1_000);
        if (cycle === 'WEEK') expect(first.getUTCDay()).toBe(1);
        if (cycle === 'MONTH') expect(first.getUTCDate()).toBe(1);
        if (cycle !== 'HOUR') expect(first.getUTCHours()).toBe(0);
        expect(Math.abs(start % 3_600)).toBe(0);
      }),
    );
  });
});

describe('fixedWindow', () => {
  const limit = (startTimeMs: number, durationMs: number): CycleLimit => ({
    subject: 'PAYMASTER',
    measure: 'COUNT',
    threshold: 1n,
    startTimeMs,
    durationMs,
  });

  it('starts with the limit and repeats', () => {
    const threeHours = limit(1_700_000_000_500, 10_800_000);
    expect(fixedWindow(threeHours, 1_700_000_001)).toEqual({ name: '1700000000.5', endsAtSeconds: 1_700_010_801 });
    expect(fixedWindow(threeHours, 1_700_010_800).name).toBe('1700000000.5');
    expect(fixedWindow(threeHours, 1_700_010_801).name).toBe('1700010800.5');
  });

  it('counts what is signed before its start in the first window, so that a slow clock gives no extra one', () => {
    const hour = limit(1_700_000_000_000, 3_600_000);
    expect(fixedWindow(hour, 1_699_990_000)).toEqual(fixedWindow(hour, 1_700_000_000));
  });

  it('every second after the start is in exactly one window', () => {
    const anyLimit = fc.record({
      startTimeMs: fc.integer({ min: 0, max: 2e12 }),
      durationMs: fc.integer({ min: 1_000, max: 1e10 }),
      offset: fc.integer({ min: 0, max: 1e9 }),
    });
    fc.assert(
      fc.property(anyLimit, ({ startTimeMs, durationMs, offset }) => {
        const now = Math.ceil(startTimeMs / 1_000) + offset;
        const { name, endsAtSeconds = NaN } = fixedWindow(limit(startTimeMs, durationMs), now);
        const startMs = Math.round(Number(name) * 1_000);
        expect(startMs).toBeLessThanOrEqual(now * 1_000);
        expect(startMs + durationMs).toBeGreaterThan(now * 1_000);
        expect((startMs - startTimeMs) % durationMs).toBe(0);
        expect(endsAtSeconds * 1_000).toBeGreaterThanOrEqual(startMs + durationMs);
        expect(fixedWindow(limit(startTimeMs, durationMs), endsAtSeconds).name).not.toBe(name);
      }),
    );
  });
});
