import { ChainsFileError, loadChainsFile, parseChains } from './chains-file';

const chain = () => ({
  chainId: 31337,
  name: 'local',
  rpcUrls: ['http://127.0.0.1:8545'],
  bundlerUrl: 'http://127.0.0.1:4337',
  entryPoints: {
    '0.7': {
      entryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
      paymaster: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    },
  },
});

describe('parseChains', () => {
  it('lowers addresses and fills in defaults as bigint', () => {
    const [parsed] = parseChains({ chains: [chain()] });
    expect(parsed?.entryPoints['0.7']?.entryPoint).toBe('0x0000000071727de22e5e9d8baf0edac6f37da032');
    expect(parsed?.bounds.maxCallGasLimit).toBe(5_000_000n);
    expect(parsed?.feeMarkupMillionths).toBe(1_000_000n);
  });

  it('lets fees far above the base fee pass up to 0.1 gwei only, unless the chain says otherwise', () => {
    const [byDefault] = parseChains({ chains: [chain()] });
    expect(byDefault?.bounds.feeFloorWei).toBe(100_000_000n);
    const [own] = parseChains({ chains: [{ ...chain(), bounds: { feeFloorWei: '5' } }] });
    expect(own?.bounds).toMatchObject({ feeFloorWei: 5n, maxCallGasLimit: 5_000_000n });
  });

  it.each([
    ['a missing field', { ...chain(), bundlerUrl: undefined }, /chains\.0 must have required property 'bundlerUrl'/],
    ['a bad address', { ...chain(), entryPoints: { '0.7': { entryPoint: '0x12', paymaster: '0x12' } } }, /entryPoint/],
    ['an unknown field', { ...chain(), bundlerURL: 'x' }, /bundlerURL/],
    ['an amount as a number', { ...chain(), bounds: { maxCallGasLimit: 5 } }, /bounds\.maxCallGasLimit must be string/],
  ])('refuses %s and names it', (_title, broken, expected) => {
    expect(() => parseChains(JSON.parse(JSON.stringify({ chains: [broken] })))).toThrow(expected);
  });

  it('refuses a chain listed twice', () => {
    expect(() => parseChains({ chains: [chain(), chain()] })).toThrow('chain 31337 is listed twice');
  });
});

describe('loadChainsFile', () => {
  it('names the file that cannot be read', () => {
    expect(() => loadChainsFile('/does/not/exist.json')).toThrow(ChainsFileError);
  });
});
