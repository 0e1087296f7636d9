import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import { contractBody, freshPaymaster, listContracts, only, type Keys } from './support/fixtures';

/** Each takes milliseconds; what keeps a parser busy takes for ever. The rest is for a machine that stands still. */
const AT_ONCE_MS = 20_000;

/** ABIs that are wrong, or made to keep a parser busy; each is answered at once. */
describe('3 create contract with a hostile abi', () => {
  let keys: Keys;
  beforeAll(async () => (keys = only(await freshPaymaster((await freshAccount()).authToken))));

  const fn = (inputs: unknown, name = 'f') => ({ type: 'function', name, inputs, stateMutability: 'nonpayable' });
  const nested = (depth: number): unknown =>
    depth === 0 ? { type: 'uint256' } : { type: 'tuple', components: [nested(depth - 1)] };

  it.each<[string, unknown, RegExp]>([
    ['is a number', 7, /^abi must be a string$/],
    ['is not JSON', 'function f(uint256)', /^abi must be JSON$/],
    ['is a file without one', '{}', /^abi must be a JSON array, or a file of Hardhat, Foundry or Etherscan with one/],
    [
      'holds human-readable text',
      JSON.stringify([`function f(${' '.repeat(50_000)})`]),
      /^abi: item 0 is not an object$/,
    ],
    [
      'has 10,000 functions',
      JSON.stringify(Array(10_000).fill({ type: 'event' })),
      /^abi must not have more than 2000 items$/,
    ],
    ['is larger than 512 KiB', `[${' '.repeat(524_288)}]`, /^abi must not be larger than 524288 bytes$/],
    ['has a tuple 500 deep', JSON.stringify([fn([nested(500)])]), /^abi is nested too deeply$/],
    ['has a tuple 9 deep', JSON.stringify([fn([nested(9)])]), /is nested deeper than 8 levels$/],
    [
      'has 10,000 array dimensions',
      JSON.stringify([fn([{ type: 'uint256' + '[]'.repeat(10_000) }])]),
      /has no valid type$/,
    ],
    [
      'has nine array dimensions',
      JSON.stringify([fn([{ type: 'uint256' + '[]'.repeat(9) }])]),
      /more than 8 array dimensions$/,
    ],
    ['has the type uint7', JSON.stringify([fn([{ type: 'uint7' }])]), /has the unknown type "uint7"$/],
    ['has the type bytes33', JSON.stringify([fn([{ type: 'bytes33' }])]), /has the unknown type "bytes33"$/],
    ['has an array of zero', JSON.stringify([fn([{ type: 'uint256[0]' }])]), /has the unknown type/],
    ['has the type "function foo"', JSON.stringify([fn([{ type: 'function foo' }])]), /has the unknown type/],
    [
      'has a tuple of no components',
      JSON.stringify([fn([{ type: 'tuple[4294967295]' }])]),
      /is a tuple without components$/,
    ],
    [
      'has a tuple of 65',
      JSON.stringify([fn([{ type: 'tuple', components: Array(65).fill({ type: 'bool' }) }])]),
      /more than 64 components$/,
    ],
    ['has a bad function name', JSON.stringify([fn([], 'a b')]), /has no valid name$/],
    ['has an unknown item', JSON.stringify([{ type: 'modifier' }]), /has an unknown type$/],
    [
      'has an unknown stateMutability',
      JSON.stringify([{ type: 'function', name: 'f', stateMutability: 'maybe' }]),
      /unknown stateMutability$/,
    ],
    // keccak-256 gives both the selector 0x42966c68.
    [
      'has two functions of one selector',
      JSON.stringify([fn([{ type: 'uint256' }], 'burn'), fn([{ type: 'bytes16' }], 'collate_propagate_storage')]),
      /have the same selector 0x42966c68$/,
    ],
  ])('refuses one that %s', async (_title, abi, message) => {
    const started = performance.now();
    const body = { ...contractBody(), abi, whitelistedMethods: [] };
    const answer = await call({ method: 'POST', path: '/smart-contract', ...keys, body });
    expect(answer.body).toEqual({ statusCode: 400, message: expect.stringMatching(message) });
    expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
    expect((await listContracts(keys)).map(({ name }) => name)).not.toContain(body.name);
  });
});
