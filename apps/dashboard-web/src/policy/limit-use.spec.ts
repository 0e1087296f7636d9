import { localTime } from '../format/time';
import { measuredAmount, usedPercent, useSentence } from './limit-use';

const RESETS = '2026-11-27T00:00:00.000Z';
const limit = { rule: 'Two a day', perUser: true, unit: 'count', amount: '5', used: '1', resetsAt: RESETS } as const;

it.each([
  ['count', '12345', '12,345'],
  ['wei', '250000000000000000', '0.25 ETH'],
  ['microUsd', '1500000', '1.50 USD'],
  ['microUsd', '9001', '0.009 USD'],
] as const)('measuredAmount reads %s %s as %s', (unit, amount, says) => {
  expect(measuredAmount(unit, amount, 'ETH')).toBe(says);
});

it.each([
  ['what is used', limit, `used 1 of 5, resets at ${localTime(RESETS)}`],
  ['a limit for ever', { ...limit, resetsAt: null }, 'used 1 of 5, never resets'],
  ['a limit of each account', { ...limit, used: null, resetsAt: null }, 'at most 5 for each account, never resets'],
])('useSentence says %s', (_, use, says) => {
  expect(useSentence(use, 'ETH')).toBe(says);
});

it.each([
  ['0', '5', 0],
  ['1', '3', 33],
  ['6', '5', 100],
  ['0', '0', 100],
])('usedPercent of %s in %s is %i', (used, amount, percent) => {
  expect(usedPercent(used, amount)).toBe(percent);
});
