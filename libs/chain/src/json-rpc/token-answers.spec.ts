import type { Hex } from '@paymaster/domain';
import { AbiCoder, encodeBytes32String } from 'ethers';
import { decodeSymbol, decodeUint, isPresentableSymbol } from './token-answers';

const encode = (symbol: string) => AbiCoder.defaultAbiCoder().encode(['string'], [symbol]) as Hex;
const word = (digits: string) => digits.padStart(64, '0');

describe('decodeSymbol', () => {
  it.each(['USDC', 'USD₮0', 'UNI-V2', '€URC', '$pepe', 'stETH/ETH', 'X', 'USD Coin', 'a'.repeat(32), '🦄'])(
    'reads %s as a string',
    (symbol) => {
      expect(decodeSymbol(encode(symbol))).toBe(symbol);
    },
  );

  it.each(['MKR', 'a'.repeat(31)])('reads %s as bytes32, as early tokens have it', (symbol) => {
    expect(decodeSymbol(encodeBytes32String(symbol) as Hex)).toBe(symbol);
  });

  it.each([
    ['nothing', ''],
    ['33 characters', 'a'.repeat(33)],
    ['a line break', 'US\nDC'],
    ['a zero byte', 'US\0DC'],
    ['an escape sequence', '\u001b[2J'],
    ['markup', '<b>USDC'],
    ['an entity', 'USDC&nbsp;'],
    ['a quote', 'USDC"'],
    ['a right-to-left override', 'CD\u202eSU'],
    ['an isolate', '\u2067USDC'],
    ['Hebrew', 'דולר'],
    ['Arabic', 'دولار'],
    ['a presentation form', '\ufefb'],
    ['a zero-width blank', 'USD\u200bC'],
    ['a combining mark', 'USDC\u0336'],
    ['a blank in front', ' USDC'],
    ['a blank behind', 'USDC '],
    ['a blank alone', ' '],
    ['a blank that is none', 'USD\u00a0C'],
    ['a surrogate alone', '\ud800'],
  ])('refuses %s', (_title, symbol) => {
    expect(isPresentableSymbol(symbol)).toBe(false);
    if (symbol !== '\ud800') expect(decodeSymbol(encode(symbol))).toBeUndefined();
  });

  it.each<[string, Hex]>([
    ['no answer', '0x'],
    ['half a word', '0x1234'],
    ['an empty bytes32', `0x${word('')}`],
    ['a bytes32 that goes on after its end', `0x${'55005500'.padEnd(64, '0')}`],
    ['another offset', `0x${word('40')}${word('0')}${word('4')}${'55534443'.padEnd(64, '0')}`],
    ['a length beyond the answer', `0x${word('20')}${word('21')}${'55'.repeat(32)}`],
    ['a length of 2^255', `0x${word('20')}8${'0'.repeat(63)}`],
    ['bytes that are no UTF-8', `0x${word('20')}${word('2')}${'c328'.padEnd(64, '0')}`],
    ['a longer answer than any symbol has', `0x${word('20')}${word('4')}${'55534443'.padEnd(2_000, '0')}`],
  ])('refuses %s', (_title, returned) => {
    expect(decodeSymbol(returned)).toBeUndefined();
  });
});

describe('decodeUint', () => {
  it('reads exactly one word', () => {
    expect(decodeUint(`0x${word('2a')}`)).toBe(42n);
    for (const other of ['0x', '0x2a', `0x${word('2a')}00`, `0x${word('')}${word('2a')}`] as Hex[])
      expect(decodeUint(other)).toBeUndefined();
  });
});
