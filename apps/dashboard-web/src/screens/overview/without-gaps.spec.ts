import { usageCsv } from './usage-csv';
import { withoutGaps } from './without-gaps';

const NOW = new Date('2026-11-26T12:34:56.000Z');
const point = {
  start: '2026-11-26T12:00:00.000Z',
  granted: 1,
  refused: 2,
  settled: 3,
  reverted: 0,
  voided: 0,
  ...{ spentWei: '4', spentUsd: '0.1', unpriced: 0, receivedUsd: '0', unrecorded: 0, netUsd: '0.1' },
  ...{ gasUsed: '7', gasCostWei: '21' },
};

it('ends with the hour of now and has every hour of a day', () => {
  const points = withoutGaps([point], 'hour', NOW);
  expect(points).toHaveLength(24);
  expect(points.at(-1)).toBe(point);
  expect(points[0]).toMatchObject({ start: '2026-11-25T13:00:00.000Z', settled: 0, spentWei: '0' });
});

it('has every day of thirty', () => {
  const today = { ...point, start: '2026-11-26T00:00:00.000Z' };
  const points = withoutGaps([today], 'day', NOW);
  expect([points.length, points[0]?.start, points.at(-1)]).toEqual([30, '2026-10-28T00:00:00.000Z', today]);
});

it('usageCsv has every digit of every column', () => {
  expect(usageCsv([point]).split('\r\n')).toEqual([
    'start,granted,refused,settled,reverted,voided,spentWei,spentUsd,unpriced,receivedUsd,unrecorded,netUsd,gasUsed,gasCostWei',
    '2026-11-26T12:00:00.000Z,1,2,3,0,0,4,0.1,0,0,0,0.1,7,21',
    '',
  ]);
  const paid = { ...point, key: '0xcc', received: '7' };
  expect(usageCsv([paid, { ...paid, received: undefined }], 'token').split('\r\n')).toMatchObject({
    0: expect.stringMatching(/,netUsd,token,received$/),
    1: expect.stringMatching(/,0\.1,0xcc,7$/),
    2: expect.stringMatching(/,0\.1,0xcc,$/),
  });
});
