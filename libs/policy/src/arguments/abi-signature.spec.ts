import fc from 'fast-check';
import { AbiCoder, FunctionFragment } from 'ethers';
import { AbiSignatureError, parseMethodSignature } from './abi-signature';

fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });

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
    'mint',
    '(uint256)',
    'f(',
    'f(uint256',
    'f(uint256,)',
    'f(,uint256)',
    'f(uint256)x',
    'f(uint)',
    'f(int)',
    'f(uint7)',
    'f(uint264)',
    'f(uint0)',
    'f(uint08)',
    'f(bytes0)',
    'f(bytes33)',
    'f(address payable)',
    'f(uint256 amount)',
    'f(address20)',
    'f(fixed128x18)',
    'f(uint256[0])',
    'f(uint256[01])',
    'f(uint256[)',
    'f(tuple(uint256))',
    `f(${'('.repeat(20)}uint8${')'.repeat(20)})`,
    'f (uint256)',
  ])('refuses %s', (signature) => {
    expect(() => parseMethodSignature(signature)).toThrow(AbiSignatureError);
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
