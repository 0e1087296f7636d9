import { FunctionFragment, id } from 'ethers';
import fc from 'fast-check';
import { IN_ONE_PIECE } from '@paymaster/nest-kit';
import { AbiError } from './abi-error';
import { ContractAbi } from './contract-abi';
import { createSelectorOf, type SelectorOf } from './selector';

const LIMITS = { maxAbiBytes: 524_288, maxAbiItems: 2_000 };
const seed = Number(process.env['TEST_SEED']);

const selectorOfPut = () => id('put(uint256)').slice(0, 10);
const selectorOfGet = () => id('get()').slice(0, 10);

let selectorOf: SelectorOf;
beforeAll(async () => (selectorOf = await createSelectorOf()));

const read = (text: string) => ContractAbi.read(text, { limits: LIMITS, selectorOf, pieces: IN_ONE_PIECE });
const abiOf = (...items: unknown[]) => read(JSON.stringify(items));
const fn = (name: string, inputs: unknown[] = [], stateMutability = 'nonpayable') => ({
  type: 'function',
  name,
  inputs,
  stateMutability,
});

describe('ContractAbi.methods', () => {
  it('names the state-changing functions in ABI order, once each', async () => {
    const abi = await abiOf(
      { type: 'constructor', inputs: [] },
      fn('put', [{ type: 'uint256' }]),
      fn('get', [], 'view'),
      fn('add', [], 'payable'),
      fn('put', [{ type: 'bytes' }]),
      { type: 'event', name: 'Put' },
      { type: 'receive', stateMutability: 'payable' },
    );
    expect(abi.methods).toEqual(['put', 'add']);
  });

  it('reads what compilers before Solidity 0.5 wrote', async () => {
    const abi = await abiOf({ name: 'put', inputs: [] }, { type: 'function', name: 'get', inputs: [], constant: true });
    expect(abi.methods).toEqual(['put']);
  });
});

describe('ContractAbi.errors', () => {
  const tuple = { type: 'tuple[]', name: 'wanted', components: [{ type: 'address', name: 'who' }, { type: 'bytes' }] };

  it('has the custom errors with the names of their arguments, once each', async () => {
    const inputs = [{ type: 'uint', name: 'available' }, tuple, { type: 'string', name: 'a) evil(' }];
    const error = { type: 'error', name: 'TooLittle', inputs };
    const { errors } = await abiOf(fn('put'), error, { type: 'error', name: 'Closed' }, error);
    expect(errors).toEqual([
      {
        selector: selectorOf('TooLittle(uint256,(address,bytes)[],string)'),
        signature: 'TooLittle(uint256 available,(address,bytes)[] wanted,string)',
      },
      { selector: selectorOf('Closed()'), signature: 'Closed()' },
    ]);
  });

  it('leaves out what is no usable error, and refuses no ABI for it', async () => {
    const long = Array.from({ length: 16 }, (_, at) => ({ type: 'uint256', name: `${'a'.repeat(20)}${at}` }));
    const bad = [
      { name: undefined },
      { name: 'a b' },
      { name: 'A', inputs: 'none' },
      { name: 'B', inputs: [{ type: 'mystery' }] },
      { name: 'C', inputs: [null] },
      { name: 'D', inputs: Array.from({ length: 17 }, () => ({ type: 'uint8' })) },
      { name: 'E', inputs: long },
    ].map((error) => ({ type: 'error', ...error }));
    expect((await abiOf(fn('put'), ...bad)).errors).toEqual([]);
  });

  it('has at most 100', async () => {
    const many = Array.from({ length: 150 }, (_, at) => ({ type: 'error', name: `E${at}` }));
    expect((await abiOf(...many)).errors.map(({ signature }) => signature)).toEqual(
      many.slice(0, 100).map(({ name }) => `${name}()`),
    );
  });
});

describe('ContractAbi.whitelist', () => {
  const abi = () => abiOf(fn('put', [{ type: 'uint' }]), fn('put', [{ type: 'bytes' }]), fn('get', [], 'view'));

  it('takes a name for every overload', async () => {
    const selectors = ['put(uint256)', 'put(bytes)'].map(selectorOf);
    expect((await abi()).whitelist(['put'])).toEqual({ whitelistedMethods: ['put'], selectors });
  });

  it('takes a full signature for one function', async () => {
    expect((await abi()).whitelist(['put(bytes)', 'put(bytes)'])).toEqual({
      whitelistedMethods: ['put(bytes)'],
      selectors: [selectorOf('put(bytes)')],
    });
  });

  it.each([
    'put(uint)',
    'put(uint256 amount)',
    ' put ( uint256 )',
    'function put(uint256)',
    selectorOfPut(),
    selectorOfPut().toUpperCase().replace('0X', '0x'),
  ])('takes %p for the same function, and keeps it as it was sent', async (entry) => {
    const selectors = [selectorOf('put(uint256)')];
    expect((await abi()).whitelist([entry])).toEqual({ whitelistedMethods: [entry], selectors });
  });

  it('takes tuples and lists as Solidity writes them', async () => {
    const order = {
      type: 'tuple[2]',
      components: [{ type: 'address' }, { type: 'tuple', components: [{ type: 'int' }] }],
    };
    const read = await abiOf(fn('fill', [order, { type: 'uint8[]' }, { type: 'string' }]));
    const selectors = [selectorOf('fill((address,(int256))[2],uint8[],string)')];
    for (const entry of [
      'fill((address,(int256))[2],uint8[],string)',
      'fill(tuple(address payable to, tuple(int delta) d)[2] calldata orders, uint8[] memory ids, string calldata s)',
    ]) {
      expect(read.whitelist([entry])).toEqual({ whitelistedMethods: [entry], selectors });
    }
  });

  it.each([
    ['get', 'only reads'],
    ['get()', 'only reads'],
    ['function get()', 'only reads'],
    [selectorOfGet(), 'only reads'],
    ['put(uint8)', 'is not a method'],
    ['put(uint256', 'is not a method'],
    ['put(uint256))', 'is not a method'],
    ['put((uint256)', 'is not a method'],
    ['put(uint256,)', 'is not a method'],
    ['put(uint256 1)', 'is not a method'],
    [`put(${'('.repeat(40)}uint256${')'.repeat(40)})`, 'is not a method'],
    ['0x00000000', 'is not a method'],
    ['toString', 'is not a method'],
    ['', 'is not a method'],
  ])('refuses %p', async (entry, problem) => {
    const read = await abi();
    expect(() => read.whitelist(['put', entry])).toThrow(AbiError);
    expect(() => read.whitelist([entry])).toThrow(`${JSON.stringify(entry)} ${problem}`);
  });
});

describe('selectors', () => {
  const elementary = fc.oneof(
    fc.constantFrom('address', 'bool', 'string', 'bytes', 'uint', 'int'),
    fc.integer({ min: 1, max: 32 }).map((size) => `bytes${size}`),
    fc.integer({ min: 1, max: 32 }).map((size) => `uint${size * 8}`),
  );
  const suffix = fc.constantFrom('', '[]', '[3]', '[][2]');
  const { parameter } = fc.letrec<{ parameter: { type: string; components?: unknown[] } }>((tie) => ({
    parameter: fc.oneof(
      { maxDepth: 4 },
      fc.tuple(elementary, suffix).map(([type, array]) => ({ type: type + array })),
      fc
        .tuple(fc.array(tie('parameter'), { minLength: 1, maxLength: 3 }), suffix)
        .map(([components, array]) => ({ type: `tuple${array}`, components })),
    ),
  }));

  it('are the same as ethers computes, for any parameters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(parameter, { maxLength: 4 }), async (inputs) => {
        const item = fn('run', inputs);
        expect((await abiOf(item)).whitelist(['run']).selectors).toEqual([FunctionFragment.from(item).selector]);
      }),
      { seed, numRuns: 500 },
    );
  });

  it('of a signature are the first bytes of its keccak-256', () => {
    expect(selectorOf('transfer(address,uint256)')).toBe(id('transfer(address,uint256)').slice(0, 10));
  });
});

describe('hostile ABIs', () => {
  it('are refused with an AbiError or read, whatever the JSON', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.jsonValue({ maxDepth: 4 }),
            fc.record({ type: fc.constant('function'), name: fc.string(), inputs: fc.jsonValue() }),
          ),
        ),
        async (items) => {
          try {
            await abiOf(...items);
          } catch (error) {
            expect(error).toBeInstanceOf(AbiError);
          }
        },
      ),
      { seed, numRuns: 1_000 },
    );
  });

  it.each([
    ['2,000 functions of 16 tuples', () => many(2_000, (index) => fn(`f${index}`, Array(16).fill({ type: 'bool' })))],
    ['one function of nested wide tuples', () => [fn('f', [wide(4)])]],
    ['a name of 200,000 letters', () => [fn('f'.repeat(200_000))]],
    ['100,000 array brackets', () => [fn('f', [{ type: `uint256${'[]'.repeat(100_000)}` }])]],
    ['components nested 20,000 deep', () => [fn('f', [deep(20_000)])]],
  ])('are answered within 300 ms: %s', async (_title, build) => {
    const text = stringify(build());
    const started = performance.now();
    try {
      (await read(text)).whitelist([]);
    } catch (error) {
      expect(error).toBeInstanceOf(AbiError);
    }
    expect(performance.now() - started).toBeLessThan(300);
  });

  const many = (count: number, make: (index: number) => unknown) =>
    Array.from({ length: count }, (_, index) => make(index));
  const wide = (depth: number): unknown =>
    depth === 0 ? { type: 'bool' } : { type: 'tuple', components: Array(8).fill(wide(depth - 1)) };
  const deep = (depth: number) => ({ deep: depth });
  /** JSON.stringify would overflow its stack on the deepest one. */
  const stringify = (items: unknown[]) =>
    JSON.stringify(items).replace(/\{"deep":(\d+)\}/, (_, depth: string) => {
      const open = '{"type":"tuple","components":[';
      return `${open.repeat(Number(depth))}{"type":"bool"}${']}'.repeat(Number(depth))}`;
    });
});
