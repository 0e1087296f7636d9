import { faker } from '@faker-js/faker';
import { parseUnits } from 'viem';
import { dayLines } from './day-lines';

const NOW = new Date('2026-11-26T12:34:56.000Z');
const day = (ago: number) => new Date(Date.parse('2026-11-26T00:00:00.000Z') - ago * 86_400_000).toISOString();

it('has a line for each of the dearest parts, and one for the rest, which add up to the whole of each day', () => {
  const parts = faker.helpers.multiple(
    () => ({
      start: day(faker.number.int({ max: 30 })),
      key: faker.string.alpha(1),
      spentUsd: `${faker.number.int({ max: 99 })}.${faker.string.numeric(12)}`,
    }),
    { count: 100 },
  );
  const modes = [...parts, { start: day(0), key: 'token', spentUsd: '7' }];
  const { starts, lines } = dayLines(parts, modes, { now: NOW, most: 5 });
  expect([starts.length, starts[0], starts.at(-1)]).toEqual([31, day(30), day(0)]);
  expect(lines.map(({ key }) => key === undefined)).toEqual([false, false, false, false, false, true]);
  const inUnits = (usd: string) => parseUnits(usd, 12);
  starts.forEach((start, at) => {
    const whole = modes
      .filter((each) => each.start === start)
      .reduce((sum, { spentUsd }) => sum + inUnits(spentUsd), 0n);
    expect(lines.reduce((sum, { values }) => sum + inUnits(values[at] ?? ''), 0n)).toBe(whole);
  });
  const totals = lines.slice(0, 5).map(({ values }) => values.reduce((sum, usd) => sum + inUnits(usd), 0n));
  expect(totals).toEqual([...totals].sort((one, other) => (other > one ? 1 : -1)));
});

it('has no line for a rest of nothing', () => {
  const part = { start: day(1), key: 'p1', spentUsd: '0.1' };
  const { lines } = dayLines([part], [{ ...part, key: 'sponsored' }], { now: NOW, most: 5 });
  expect(lines.map(({ key, values }) => [key, values.at(-2)])).toEqual([['p1', '0.1']]);
});
