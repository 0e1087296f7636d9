import { grossText, lessMoney, moneyOf, netText, receivedText } from './money';

const row = { spentWei: '891', spentUsd: '8.91', unpriced: 0, receivedUsd: '0', unrecorded: 0 };
const paid = { spentWei: '300', spentUsd: '3', unpriced: 0, receivedUsd: '3.150000000001', unrecorded: 0 };
const old = { spentWei: '7', spentUsd: '0', unpriced: 1, receivedUsd: '0', unrecorded: 1 };

it('moneyOf adds to the last digit, and lessMoney takes away again', () => {
  const sum = moneyOf([row, paid, old]);
  expect(sum).toEqual({
    ...{ spentWei: 1198n, spentUsd: '11.91', receivedUsd: '3.150000000001', netUsd: '8.759999999999' },
    ...{ unpriced: 1, unrecorded: 1 },
  });
  expect(lessMoney(sum, moneyOf([row, old]))).toEqual(moneyOf([paid]));
});

it.each([
  ['all is recorded', [row, paid], '11.91 USD', '3.15 USD', '8.75 USD'],
  ['some is', [row, paid, old], '11.91 USD, not recorded for 1', '3.15 USD, not recorded for 1', '8.75 USD'],
  ['none is', [old, old], 'not recorded for 2', 'not recorded for 2', 'not recorded'],
  ['tokens brought more', [paid], '3 USD', '3.15 USD', '-0.15 USD'],
  ['there is none', [], '0 USD', '0 USD', '0 USD'],
])('says gross, received and net where %s', (_, rows, gross, received, net) => {
  const sum = moneyOf(rows);
  expect([grossText(sum), receivedText(sum), netText(sum)]).toEqual([gross, received, net]);
});
