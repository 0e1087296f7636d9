import type { Hex } from '@paymaster/domain';
import { Interface } from 'ethers';
import { revertReason } from './revert-reason';

const ERRORS = new Interface(['error Error(string)', 'error Panic(uint256)', 'error Locked(address who)']);
const TOO_LITTLE = new Interface([
  'error TooLittle(uint256 available,(address,bytes)[] wanted,string)',
  'error ExecuteError(uint256,bytes)',
  'error Bad(string)',
  'error Odd(uint256)',
  'error Deep(uint256[][][])',
  'error Wide(uint256[10])',
]);
const KNOWN = [
  ['TooLittle', 'TooLittle(uint256 available,(address,bytes)[] wanted,string)'],
  ['Bad', 'Bad(string why)'],
  ['Odd', 'Odd(uint256 tuple)'],
  ['Deep', 'Deep(uint256[][][])'],
  ['Wide', 'Wide(uint256[10])'],
].map(([name = '', signature = '']) => ({ selector: TOO_LITTLE.getError(name)!.selector as Hex, signature }));
const custom = (name: string, ...args: unknown[]) => TOO_LITTLE.encodeErrorResult(name, args) as Hex;
const error = (why: string) => ERRORS.encodeErrorResult('Error', [why]) as Hex;
const panic = (code: bigint) => ERRORS.encodeErrorResult('Panic', [code]) as Hex;
const word = (digits: string) => digits.padStart(64, '0');

describe('revertReason', () => {
  it.each<[string, Hex, string]>([
    ['a text', error('ERC20: no'), 'ERC20: no'],
    ['an empty text', error(''), ''],
    ['nothing', '0x', 'no reason given'],
    ['a panic', panic(0x11n), 'panic 0x11: arithmetic overflow'],
    ['a panic that there is not', panic(0x99n), 'panic 0x99'],
    ['a custom error', '0xdeadbeef', '0xdeadbeef'],
    ['half a selector', '0x08c3', '0x08c3'],
    ['a text without its length', `0x08c379a0${word('20')}`, `0x08c379a0${word('20')}`],
    ['a text with a length that is cut off', `0x08c379a0${word('20')}12`, `0x08c379a0${word('20')}12`],
    ['a text at another offset', `0x08c379a0${word('40')}${word('1')}61`, `0x08c379a0${word('40')}${word('1')}61`],
    ['a text that is cut off', `0x08c379a0${word('20')}${word('ff')}616263`, 'abc'],
    ['a text that says it has 2^256 - 1 bytes', `0x08c379a0${word('20')}${'f'.repeat(64)}6162`, 'ab'],
    ['a panic that is cut off', '0x4e487b7100', '0x4e487b7100'],
    ['bytes that are no UTF-8', `0x08c379a0${word('20')}${word('2')}c328`, '\ufffd('],
    ['markup', error('<img src=x onerror=alert(1)>'), '‹img src=x onerror=alert(1)›'],
    ['what turns text around', error('a\u202eb'), 'a\ufffdb'],
    ['lines, zeros and escapes', error('a\nb\0c\u001b[2J\u2028'), 'a\ufffdb\ufffdc\ufffd[2J\ufffd'],
  ])('shows %s', (_what, data, expected) => {
    expect(revertReason(data)).toBe(expected);
  });

  const who = `0x${'1'.repeat(40)}`;
  const tooLittle = custom('TooLittle', 2n ** 255n, [[who, '0xabcd']], '<b>\u202e');
  it.each<[string, Hex, string]>([
    ['name and arguments', tooLittle, `TooLittle(available: ${2n ** 255n}, wanted: [[${who}, 0xabcd]], ‹b›\ufffd)`],
    ['an argument that ethers takes for a word of Solidity', custom('Odd', 7n), 'Odd(7)'],
    ['which call of a batch', custom('ExecuteError', 1n, custom('Odd', 7n)), 'call 2 of the batch: Odd(7)'],
    ['that a call of a batch says why', custom('ExecuteError', 0n, error('no')), 'call 1 of the batch: no'],
    ['hex where it is cut off', tooLittle.slice(0, 100) as Hex, tooLittle.slice(0, 100)],
    [
      'hex where a text is no UTF-8',
      `0x${custom('Bad', 'ab').slice(2, -64)}${'c3'.repeat(32)}`,
      expect.stringMatching(/^0x/),
    ],
    ['hex where lists are nested too deep', custom('Deep', []), custom('Deep', [])],
    ['hex where a list is long', custom('Wide', Array(10).fill(0n)), expect.stringMatching(/^0x/)],
    ['hex of an error that is not known', '0xdeadbeef', '0xdeadbeef'],
    ['Solidity’s own errors as without', error('no'), 'no'],
  ])('shows of custom errors %s', (_what, data, expected) => {
    expect(revertReason(data, KNOWN)).toEqual(expected);
  });

  it('shows no more than 300 characters, and half of none', () => {
    expect(revertReason(error('🦄'.repeat(400)))).toBe(`${'🦄'.repeat(300)}…`);
    expect([...revertReason(`0x${'ab'.repeat(5_000)}`)]).toHaveLength(301);
  });
});
