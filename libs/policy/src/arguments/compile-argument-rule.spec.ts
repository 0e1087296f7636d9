import fc from 'fast-check';
import { Interface } from 'ethers';
import { ARGUMENT_OPERATORS, type ArgumentRule, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { ArgumentRuleError, compileArgumentRule } from './compile-argument-rule';

fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });

const contract = randomAddress();
const someone = randomAddress();
const rule = (changes: Partial<ArgumentRule>): ArgumentRule => ({
  ...{ contract, method: 'f(uint256)', index: 0, operator: 'EQ', values: ['1'] },
  ...changes,
});
const encode = (method: string, values: readonly unknown[]) =>
  new Interface([`function ${method}`]).encodeFunctionData(method, values) as Hex;
const allows = (changes: Partial<ArgumentRule>, values: readonly unknown[]) => {
  const compiled = compileArgumentRule(rule(changes));
  return compiled.check(encode(rule(changes).method, values)).ok;
};

describe('compileArgumentRule', () => {
  it('knows the selector and the contract in lower case', () => {
    const compiled = compileArgumentRule(
      rule({ contract: `0x${'AB'.repeat(20)}`, method: 'mint(address,uint256)', index: 1 }),
    );
    expect(compiled).toMatchObject({ selector: '0x40c10f19', contract: `0x${'ab'.repeat(20)}` });
  });

  it.each<[string, Partial<ArgumentRule>, unknown[], boolean]>([
    ['uint256 EQ', { operator: 'EQ', values: ['10'] }, [10n], true],
    ['uint256 EQ in hex', { operator: 'EQ', values: ['0x0A'] }, [10n], true],
    ['uint256 EQ another', { operator: 'EQ', values: ['10'] }, [11n], false],
    ['uint256 NEQ', { operator: 'NEQ', values: ['10'] }, [10n], false],
    ['uint256 LT its limit', { operator: 'LT', values: ['10'] }, [10n], false],
    ['uint256 LTE its limit', { operator: 'LTE', values: ['10'] }, [10n], true],
    ['uint256 LTE, the greatest', { operator: 'LTE', values: ['10'] }, [2n ** 256n - 1n], false],
    ['uint256 GT its limit', { operator: 'GT', values: ['10'] }, [10n], false],
    ['uint256 GTE its limit', { operator: 'GTE', values: ['10'] }, [10n], true],
    ['uint256 IN', { operator: 'IN', values: ['1', '2'] }, [2n], true],
    ['uint256 NOT_IN', { operator: 'NOT_IN', values: ['1', '2'] }, [2n], false],
    ['int8 below zero is less', { method: 'f(int8)', operator: 'LT', values: ['0'] }, [-1n], true],
    ['int256 below zero is less', { method: 'f(int256)', operator: 'LTE', values: ['-5'] }, [-6n], true],
    ['int256 GT', { method: 'f(int256)', operator: 'GT', values: ['-5'] }, [-6n], false],
    ['int16 EQ', { method: 'f(int16)', operator: 'EQ', values: ['-32768'] }, [-32768n], true],
    [
      'address EQ in any case',
      { method: 'f(address)', operator: 'EQ', values: [someone.toUpperCase().replace('0X', '0x')] },
      [someone],
      true,
    ],
    ['address NOT_IN', { method: 'f(address)', operator: 'NOT_IN', values: [someone] }, [someone], false],
    ['bool EQ', { method: 'f(bool)', operator: 'EQ', values: ['true'] }, [true], true],
    ['bool EQ, the other', { method: 'f(bool)', operator: 'EQ', values: ['true'] }, [false], false],
    ['bytes4 IN', { method: 'f(bytes4)', operator: 'IN', values: ['0xDEADBEEF'] }, ['0xdeadbeef'], true],
    [
      'bytes32 EQ',
      { method: 'f(bytes32)', operator: 'EQ', values: [`0x${'ab'.repeat(32)}`] },
      [`0x${'ab'.repeat(32)}`],
      true,
    ],
    [
      'behind a dynamic one',
      { method: 'f(string,uint8)', index: 1, operator: 'EQ', values: ['7'] },
      ['a'.repeat(99), 7],
      true,
    ],
    [
      'behind a static tuple',
      { method: 'f((uint8,bool)[2],uint8)', index: 1, values: ['7'] },
      [
        [
          [1, true],
          [2, false],
        ],
        7,
      ],
      true,
    ],
  ])('%s', (_title, changes, values, expected) => {
    expect(allows(changes, values)).toBe(expected);
  });

  it.each<[string, string, string, Partial<ArgumentRule>]>([
    ['a dirty uint8', 'uint8', `${'0'.repeat(61)}101`, { values: ['1'] }],
    ['a dirty address', 'address', `1${someone.slice(2).padStart(63, '0')}`, { values: [someone] }],
    ['a bool of 2', 'bool', '2'.padStart(64, '0'), { operator: 'NEQ', values: ['false'] }],
    ['an int8 without its sign', 'int8', 'ff'.padStart(64, '0'), { operator: 'NEQ', values: ['0'] }],
    ['a bytes4 with more behind', 'bytes4', `deadbeef${'0'.repeat(55)}1`, { operator: 'NEQ', values: ['0x00000000'] }],
  ])('refuses %s, whatever the rule', (_title, type, word, changes) => {
    const compiled = compileArgumentRule(rule({ method: `f(${type})`, ...changes }));
    expect(compiled.check(`${compiled.selector}${word}`)).toEqual({
      ok: false,
      found: `bits outside a ${type}: 0x${word}`,
    });
  });

  it('refuses call data that ends before the arguments do, and does not mind what follows them', () => {
    const compiled = compileArgumentRule(rule({ method: 'f(uint256,uint256)', operator: 'LTE' }));
    const one = '1'.padStart(64, '0');
    expect(compiled.check(compiled.selector)).toEqual({ ok: false, found: 'call data that is too short' });
    expect(compiled.check(`${compiled.selector}${one}`).ok).toBe(false);
    expect(compiled.check(`${compiled.selector}${one}${one.slice(1)}`).ok).toBe(false);
    expect(compiled.check(`${compiled.selector}${one}${one}`).ok).toBe(true);
    expect(compiled.check(`${compiled.selector}${one}${one}ff`).ok).toBe(true);
  });

  it.each<[string, Partial<ArgumentRule>]>([
    [`mint can't be read at "": full type names, no spaces, no names`, { method: 'mint' }],
    ['uint is no type of the ABI in its full form (uint256 rather than uint)', { method: 'f(uint)' }],
    ['f(uint256) has no argument 1; the first is 0', { index: 1 }],
    ['f(uint256) has no argument -1; the first is 0', { index: -1 }],
    ['argument 0 of f(string) is a string, only static values can be compared', { method: 'f(string)' }],
    ['argument 0 of f(uint256[2]) is a uint256[2], only static values can be compared', { method: 'f(uint256[2])' }],
    ['argument 0 of f((bool,bool)) is a (bool,bool), only static values can be compared', { method: 'f((bool,bool))' }],
    ['EQ needs a value', { values: [] }],
    ['IN needs a value', { operator: 'IN', values: [] }],
    ['EQ takes one value, not 2', { values: ['1', '2'] }],
    ['256 is no value of type uint8', { method: 'f(uint8)', values: ['256'] }],
    ['-1 is no value of type uint256', { values: ['-1'] }],
    ['-129 is no value of type int8', { method: 'f(int8)', values: ['-129'] }],
    ['128 is no value of type int8', { method: 'f(int8)', values: ['128'] }],
    ['ten is no value of type uint256', { values: ['ten'] }],
    ['1n is no value of type uint256', { values: ['1n'] }],
    ['x1 is no value of type uint256', { values: ['x1'] }],
    ['0x1g is no value of type uint256', { values: ['0x1g'] }],
    ['10x1 is no value of type uint256', { values: ['10x1'] }],
    ['0x is no value of type uint256', { values: ['0x'] }],
    [`${'0'.repeat(79)} is no value of type uint256`, { values: ['0'.repeat(79)] }],
    ['1 is no value of type address', { method: 'f(address)', values: ['1'] }],
    ['1 is no value of type bool', { method: 'f(bool)', values: ['1'] }],
    ['0xdeadbe is no value of type bytes4', { method: 'f(bytes4)', values: ['0xdeadbe'] }],
    ['0xdeadbeeg is no value of type bytes4', { method: 'f(bytes4)', values: ['0xdeadbeeg'] }],
    ['LT compares numbers, and address is none', { method: 'f(address)', operator: 'LT', values: [someone] }],
    [
      'GTE compares numbers, and bytes32 is none',
      { method: 'f(bytes32)', operator: 'GTE', values: [`0x${'00'.repeat(32)}`] },
    ],
    ['GT compares numbers, and bool is none', { method: 'f(bool)', operator: 'GT', values: ['false'] }],
  ])('can not be made: %s', (message, changes) => {
    expect(() => compileArgumentRule(rule(changes))).toThrow(
      expect.objectContaining({ name: 'ArgumentRuleError', message }),
    );
    expect(() => compileArgumentRule(rule(changes))).toThrow(ArgumentRuleError);
  });

  it.each<[string, Partial<ArgumentRule>, unknown]>([
    ['11', { operator: 'LT', values: ['10'] }, 11n],
    ['-11', { method: 'f(int8)', operator: 'GT', values: ['10'] }, -11n],
    [`0x${someone.slice(2).padStart(64, '0')}`, { method: 'f(address)', values: [contract] }, someone],
    [`0x${'1'.padStart(64, '0')}`, { method: 'f(bool)', values: ['false'] }, true],
    [`0xdeadbeef${'0'.repeat(56)}`, { method: 'f(bytes4)', values: ['0x00000000'] }, '0xdeadbeef'],
  ])('says what it found: %s', (found, changes, value) => {
    const { method, ...rest } = rule(changes);
    expect(compileArgumentRule({ method, ...rest }).check(encode(method, [value]))).toEqual({ ok: false, found });
  });

  it('describes itself for traces', () => {
    const { description } = compileArgumentRule(
      rule({ method: 'mint(address,uint256)', index: 1, operator: 'IN', values: ['1', '0x02'] }),
    );
    expect(description).toBe('argument 1 (uint256) of mint(address,uint256) IN 1, 0x02');
  });

  const EXPECTED: Record<string, (a: bigint, b: bigint) => boolean> = {
    EQ: (a, b) => a === b,
    NEQ: (a, b) => a !== b,
    LT: (a, b) => a < b,
    LTE: (a, b) => a <= b,
    GT: (a, b) => a > b,
    GTE: (a, b) => a >= b,
    IN: (a, b) => a === b,
    NOT_IN: (a, b) => a !== b,
  };

  it('compares as numbers compare, for every width, sign and operator', () => {
    const width = fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8);
    const near = fc.bigInt({ min: -3n, max: 3n });
    fc.assert(
      fc.property(
        width,
        fc.boolean(),
        fc.constantFrom(...ARGUMENT_OPERATORS),
        fc.bigInt(),
        near,
        (bits, signed, operator, seed, step) => {
          const clamp = (value: bigint) => (signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
          const argument = clamp(seed);
          const value = clamp(seed + step);
          const method = `f(${signed ? 'int' : 'uint'}${bits})`;
          expect(allows({ method, operator, values: [value.toString()] }, [argument])).toBe(
            EXPECTED[operator]?.(argument, value),
          );
        },
      ),
    );
  });
});
