import fc from 'fast-check';
import { AbiCoder, FunctionFragment } from 'ethers';
import { parseMethodSignature } from './abi-signature';

fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });

const refusal = (message: string) => expect.objectContaining({ name: 'AbiSignatureError', message });

describe('parseMethodSignature', () => {
  it.each([
    ['f()', []],
    ['mint(address,uint256)', [0, 1]],
    ['f(bytes,uint8)', [0, 1]],
    ['f((uint256,bool),int8)', [0, 2]],
    ['f((uint256,string),int8)', [0, 1]],
    ['f(uint256[3],(address,address)[2],bool)', [0, 3, 7]],
    ['f(uint256[],uint256[2][],uint256[][2],bool)', [0, 1, 2, 3]],
    ['$f_1((((uint8)))[2],bytes32)', [0, 2]],
  ] as const)('%s has its heads at %j', (signature, heads) => {
    expect(parseMethodSignature(signature).arguments.map(({ headWord }) => headWord)).toEqual(heads);
  });

  it.each([
    ['mint', ''],
    ['f(', ''],
    ['f(uint256', ''],
    ['f(uint256,)', ')'],
    ['f(,uint256)', ',uint256)'],
    ['f(uint256)x', 'x'],
    ['f(address payable)', ' payable)'],
    ['f(uint256 amount)', ' amount)'],
    ['f(fixed128x18)', 'fixed128x18)'],
    ['f(uint256[)', '[)'],
    ['f(tuple(uint256))', 'tuple(uint256))'],
    ['f(uint256 with_a_name_that_is_long)', ' with_a_name_that_is'],
  ])('refuses %s from "%s" on', (signature, rest) => {
    expect(() => parseMethodSignature(signature)).toThrow(
      refusal(`${signature} can't be read at "${rest}": full type names, no spaces, no names`),
    );
  });

  it.each([
    'uint',
    'int',
    'uint7',
    'uint264',
    'uint0',
    'uint08',
    'int264',
    'bytes0',
    'bytes33',
    'address20',
    'bool8',
    'string1',
    'function24',
  ])('refuses %s, which is no full name of a type', (type) => {
    expect(() => parseMethodSignature(`f(${type})`)).toThrow(
      refusal(`${type} is no type of the ABI in its full form (uint256 rather than uint)`),
    );
  });

  it.each(['uint256[0]', 'uint256[01]', 'uint256[10001]', '(uint8)[0]'])(
    'refuses %s, which no contract has',
    (type) => {
      expect(() => parseMethodSignature(`f(${type})`)).toThrow(refusal(`${type} has a length out of bounds`));
    },
  );

  it.each(['(uint256)', '1f()', ' f()', ''])('refuses "%s", which does not start with a name', (signature) => {
    expect(() => parseMethodSignature(signature)).toThrow(refusal(`${signature} does not start with a method's name`));
  });

  it('reads arrays and tuples up to their bounds', () => {
    const nested = (depth: number) => `f(${'('.repeat(depth)}uint8${')'.repeat(depth)})`;
    expect(parseMethodSignature('f(uint256[10000])').headWords).toBe(10_000);
    expect(parseMethodSignature(nested(8)).headWords).toBe(1);
    expect(() => parseMethodSignature(nested(9))).toThrow(refusal('tuples are nested too deeply'));
  });

  it('reads what a rule can compare of each type', () => {
    const words = (types: string) => parseMethodSignature(`f(${types})`).arguments.map(({ word }) => word);
    expect(words('uint8,int256,bytes1,bytes32,address,bool')).toEqual([
      { kind: 'uint', bits: 8 },
      { kind: 'int', bits: 256 },
      { kind: 'bytes', bytes: 1 },
      { kind: 'bytes', bytes: 32 },
      { kind: 'address' },
      { kind: 'bool' },
    ]);
    expect(words('bytes,string,function,uint8[2],(uint8)')).toEqual(Array(5).fill(undefined));
    expect(parseMethodSignature('f(function,uint8)')).toMatchObject({ name: 'f', headWords: 2 });
  });

  const elementary = fc.constantFrom(
    'uint8',
    'uint256',
    'int16',
    'address',
    'bool',
    'bytes4',
    'bytes32',
    'bytes',
    'string',
  );
  const { type: anyType } = fc.letrec<{ type: string }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      elementary,
      fc.tuple(tie('type'), fc.constantFrom('[]', '[2]', '[3]')).map(([type, suffix]) => `${type}${suffix}`),
      fc.array(tie('type'), { minLength: 1, maxLength: 3 }).map((types) => `(${types.join(',')})`),
    ),
  }));

  it('finds every argument where ethers encodes it', () => {
    fc.assert(
      fc.property(fc.array(anyType, { minLength: 1, maxLength: 4 }), (types) => {
        const signature = `f(${[...types, 'uint256'].join(',')})`;
        const parsed = parseMethodSignature(signature);
        const fragment = FunctionFragment.from(`function ${signature}`);
        const marker = 0x1234567890abcdefn;
        const values = fragment.inputs.map((input, i) =>
          i === types.length ? marker : AbiCoder.defaultAbiCoder().getDefaultValue([input])[0],
        );
        const encoded = AbiCoder.defaultAbiCoder().encode(fragment.inputs, values);
        const last = parsed.arguments.at(-1);
        const start = 2 + (last?.headWord ?? 0) * 64;
        expect(BigInt(`0x${encoded.slice(start, start + 64)}`)).toBe(marker);
        expect(parsed.headWords).toBe((last?.headWord ?? 0) + 1);
        expect(parsed.arguments.map(({ type }) => type).join(',')).toBe([...types, 'uint256'].join(','));
      }),
    );
  });
});
