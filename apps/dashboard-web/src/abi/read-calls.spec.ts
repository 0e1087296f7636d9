import { encodeFunctionData, parseAbi, type Abi } from 'viem';
import { readCalls } from './read-calls';

const [A, B] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`];
const TWO = [
  { to: A, valueWei: '0', selector: '0xa0712d68' },
  { to: B, valueWei: '7', selector: null },
];
const encode = (signature: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: parseAbi([signature]) as Abi, args });

describe('readCalls', () => {
  it.each([
    [
      'one call',
      encode('function execute(address, uint256, bytes)', [A, 0n, '0xa0712d680011']),
      [{ to: A, valueWei: '0', selector: '0xa0712d68' }],
    ],
    [
      'a batch with values',
      encode('function executeBatch(address[], uint256[], bytes[])', [
        [A, B],
        [0n, 7n],
        ['0xa0712d68', '0x'],
      ]),
      TWO,
    ],
    [
      'a batch of structs',
      encode('function executeBatch((address to, uint256 value, bytes data)[])', [
        [
          { to: A, value: 0n, data: '0xa0712d68' },
          { to: B, value: 7n, data: '0x0102' },
        ],
      ]),
      TWO,
    ],
    [
      'a batch without values',
      encode('function executeBatch(address[], bytes[])', [[A], ['0xa0712d68']]),
      [{ to: A, valueWei: '0', selector: '0xa0712d68' }],
    ],
    ['a batch of nothing', encode('function executeBatch(address[], bytes[])', [[], []]), []],
  ])('reads %s', (_, callData, calls) => {
    expect(readCalls(callData)).toEqual(calls);
  });

  it.each([
    ['an unknown function', '0x12345678'],
    ['a call that is cut off', encode('function execute(address, uint256, bytes)', [A, 0n, '0x']).slice(0, -64)],
    ['lists of different lengths', encode('function executeBatch(address[], bytes[])', [[A, B], ['0x']])],
    ['no bytes', '0x'],
    ['no hex', 'call me'],
  ])('does not read %s', (_, callData) => {
    expect(readCalls(callData)).toBeUndefined();
  });
});
