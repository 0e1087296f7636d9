import { toPriceReference, type SentPrice } from '@paymaster/domain';
import { loadChainsFile, parseChains } from './chains-file';
import { ChainsFileError } from './config-file';

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
    expect(byDefault?.bounds).toMatchObject({ feeFloorWei: 0n, maxL1GasPercent: 107n });
    const [own] = parseChains({ chains: [{ ...chain(), bounds: { feeFloorWei: '5' } }] });
    expect(own?.bounds).toMatchObject({ feeFloorWei: 5n, maxCallGasLimit: 5_000_000n });
  });

  it.each(['maxBundlerReturnPercent', 'maxPreVerificationGasPercent'])(
    'names %s, which a file may not have',
    (name) => {
      const file = { chains: [{ ...chain(), bounds: { [name]: '110' } }] };
      expect(() => parseChains(file)).toThrow(new RegExp(`chains\\.0\\.bounds must NOT .*\\(${name}\\)`));
    },
  );

  it('takes a chain’s coin for worth something, unless it says testnet', () => {
    const [byDefault, own] = parseChains({ chains: [chain(), { ...chain(), chainId: 5, testnet: true }] });
    expect([byDefault?.testnet, own?.testnet]).toEqual([false, true]);
  });

  it('bounds what may be outstanding in tokens, unless the chain says otherwise', () => {
    const [byDefault] = parseChains({ chains: [chain()] });
    expect(byDefault?.bounds.tokenExposureCapWei).toBe(50_000_000_000_000_000n);
    expect(byDefault?.bounds.tokenSenderExposureCapWei).toBe(10_000_000_000_000_000n);
    const [own] = parseChains({ chains: [{ ...chain(), bounds: { tokenExposureCapWei: '0' } }] });
    expect(own?.bounds.tokenExposureCapWei).toBe(0n);
  });

  it.each([
    ['the bundler, where there is a URL of it', {}, 'bundler'],
    ['itself, where there is no bundler', { bundlerUrl: undefined }, 'own'],
    ['itself, where the chain says so', { gasEstimates: 'own' }, 'own'],
  ])('asks for estimates %s', (_title, changes, source) => {
    const [parsed] = parseChains(JSON.parse(JSON.stringify({ chains: [{ ...chain(), ...changes }] })));
    expect(parsed?.gasEstimates).toBe(source);
  });

  it('assumes that a chain is not a rollup, unless it names a kind', () => {
    const [byDefault, own] = parseChains({ chains: [chain(), { ...chain(), chainId: 10, rollup: 'opStack' }] });
    expect([byDefault?.rollup, own?.rollup]).toEqual(['none', 'opStack']);
    const file = { chains: [{ ...chain(), rollup: 'optimism' }] };
    expect(() => parseChains(file)).toThrow(/chains\.0\.rollup must be .*allowed values \(none, opStack, arbitrum\)/);
  });

  it('follows the nodes’ finalized block and reads from the first block, unless the chain says otherwise', () => {
    const [byDefault] = parseChains({ chains: [chain()] });
    expect(byDefault).toMatchObject({ finality: { tag: 'finalized' }, startBlock: 0n });
    const [own] = parseChains({ chains: [{ ...chain(), finality: { depth: 12 }, startBlock: 5_000_000 }] });
    expect(own).toMatchObject({ finality: { depth: 12 }, startBlock: 5_000_000n });
  });

  describe('the gas of token mode', () => {
    const withPercent = (tokenGasPercent?: unknown) => {
      const { '0.7': served } = chain().entryPoints;
      return { chains: [{ ...chain(), entryPoints: { '0.7': { ...served, tokenGasPercent } } }] };
    };
    const parsed = (tokenGasPercent?: unknown) =>
      parseChains(JSON.parse(JSON.stringify(withPercent(tokenGasPercent))))[0]?.entryPoints['0.7'];

    it('is as measured, unless the contract has a percentage of it', () => {
      expect(parsed()).not.toHaveProperty('tokenGasPercent');
      expect([100, 125, 475].map((percent) => parsed(percent)?.tokenGasPercent)).toEqual([100, 125, 475]);
    });

    it.each([75, 110, 500, '200', 0])('is not %p percent', (percent) => {
      expect(() => parsed(percent)).toThrow(/^chains\.json: chains\.0\.entryPoints\.0\.7\.tokenGasPercent must be/);
    });
  });

  describe('contracts that are followed and not signed for', () => {
    const [next, draining] = [`0x${'AA'.repeat(20)}`, `0x${'bb'.repeat(20)}`];
    const moving = (more: object) => {
      const { '0.7': served } = chain().entryPoints;
      return { chains: [{ ...chain(), entryPoints: { '0.7': { ...served, ...more } } }] };
    };

    it('are none, unless the chain names them', () => {
      expect(parseChains({ chains: [chain()] })[0]?.entryPoints['0.7']).not.toHaveProperty('nextPaymaster');
      const [named] = parseChains(moving({ nextPaymaster: next, drainingPaymasters: [draining] }));
      expect(named?.entryPoints['0.7']).toMatchObject({
        ...{ paymaster: chain().entryPoints['0.7'].paymaster.toLowerCase() },
        ...{ nextPaymaster: next.toLowerCase(), drainingPaymasters: [draining] },
      });
    });

    it.each([
      ['the contract that is signed for, as next', { nextPaymaster: chain().entryPoints['0.7'].paymaster }],
      ['the contract that is signed for, as draining', { drainingPaymasters: [chain().entryPoints['0.7'].paymaster] }],
      ['the EntryPoint', { drainingPaymasters: [chain().entryPoints['0.7'].entryPoint] }],
      ['one contract both ways', { nextPaymaster: next, drainingPaymasters: [next] }],
    ])('are not %s', (_what, more) => {
      expect(() => parseChains(moving(more))).toThrow(/chain 31337 names 0x[0-9a-f]{40} twice/);
    });

    it('are not a contract that is signed for with another EntryPoint', () => {
      const entryPoints = {
        '0.7': { ...chain().entryPoints['0.7'], drainingPaymasters: [draining] },
        '0.8': { entryPoint: `0x${'cc'.repeat(20)}`, paymaster: draining },
      };
      expect(() => parseChains({ chains: [{ ...chain(), entryPoints }] })).toThrow(`names ${draining} twice`);
    });
  });

  describe('accounts that the operator knows', () => {
    const [one, other] = [`0x${'AA'.repeat(20)}`, `0x${'BB'.repeat(20)}`];
    const hash = `0x${'0123456789abcdef'.repeat(4)}`;
    const knowing = (knownAccounts: object) => () => parseChains({ chains: [{ ...chain(), knownAccounts }] })[0];

    it('are none, unless the chain lists them', () => {
      const none = { factories: [], implementations: [], delegates: [], codeHashes: [] };
      expect(parseChains({ chains: [chain()] })[0]?.knownAccounts).toEqual(none);
      const listed = knowing({ factories: [one, other], delegates: [one], codeHashes: [hash] })();
      expect(listed?.knownAccounts).toEqual({
        ...{ factories: [one.toLowerCase(), other.toLowerCase()], delegates: [one.toLowerCase()] },
        ...{ implementations: [], codeHashes: [hash] },
      });
    });

    it.each<[string, object, string | RegExp]>([
      ['a word', { factories: [one, 'Safe'] }, /chains\.0\.knownAccounts\.factories\.1 must match/],
      [
        'an address with a wrong checksum',
        { factories: [one, '0xE31b0BcBda693bfF2529F4a1d9f7e8f6D924C6Ab'] },
        /chains\.0\.knownAccounts\.factories\.1 has a wrong checksum/,
      ],
      ['an address alone', { implementations: one }, /chains\.0\.knownAccounts\.implementations must be array/],
      ['another list', { validators: [one] }, /chains\.0\.knownAccounts must NOT .*\(validators\)/],
      ['an address for a hash', { codeHashes: [one] }, /chains\.0\.knownAccounts\.codeHashes\.0 must match/],
      ['one hash twice', { codeHashes: [hash, hash] }, `chain 31337 lists ${hash} twice in knownAccounts.codeHashes`],
      [
        'one contract twice',
        { delegates: [one, one.toLowerCase()] },
        `chain 31337 lists ${one.toLowerCase()} twice in knownAccounts.delegates`,
      ],
      [
        'a contract of ours',
        { factories: [chain().entryPoints['0.7'].paymaster] },
        `chain 31337 lists ${chain().entryPoints['0.7'].paymaster.toLowerCase()} in knownAccounts.factories, and in entryPoints`,
      ],
    ])('are not %s', (_what, knownAccounts, expected) => {
      expect(knowing(knownAccounts)).toThrow(expected);
    });
  });

  it.each([
    ['both kinds', { tag: 'finalized', depth: 2 }, /finality must NOT have more than 1/],
    ['neither', {}, /finality must NOT have fewer than 1/],
    ['another tag', { tag: 'latest' }, /finality\.tag/],
    ['the newest block', { depth: 0 }, /finality\.depth must be >= 1/],
  ])('refuses finality of %s', (_title, finality, expected) => {
    expect(() => parseChains({ chains: [{ ...chain(), finality }] })).toThrow(expected);
  });

  it('prices nothing and lists no token without pricing', () => {
    const [parsed] = parseChains({ chains: [chain()] });
    expect(parsed).toMatchObject({ pricing: null, tokens: [] });
  });

  it('fills in when prices are believed', () => {
    const [parsed] = parseChains({ chains: [{ ...chain(), pricing: { native: { fixedUsd: '3000' } } }] });
    expect(parsed?.pricing).toEqual({
      native: toPriceReference({ fixedUsd: '3000' }),
      sequencer: null,
      maxAgeSeconds: 120,
      feedGraceSeconds: 60,
      maxDeviationMillionths: 10_000,
      minSources: null,
      maxJumpMillionths: 200_000,
    });
  });

  it('takes every term of pricing that is given, addresses in lower case', () => {
    const feed = `0x${'AB'.repeat(20)}`;
    const pricing = {
      native: { feed: { address: feed, heartbeatSeconds: 3_600 }, apiId: 'ethereum' },
      sequencer: { feed },
      maxAgeSeconds: 30,
      feedGraceSeconds: 0,
      maxDeviationPercent: '0.25',
      minSources: 2,
      maxJumpPercent: '5',
    };
    const [parsed] = parseChains({ chains: [{ ...chain(), pricing }] });
    expect(parsed?.pricing).toEqual({
      native: toPriceReference(pricing.native as SentPrice),
      sequencer: { feed: feed.toLowerCase(), graceSeconds: 3_600 },
      maxAgeSeconds: 30,
      feedGraceSeconds: 0,
      maxDeviationMillionths: 2_500,
      minSources: 2,
      maxJumpMillionths: 50_000,
    });
  });

  it.each([
    ['no native coin', { maxAgeSeconds: 1 }, /chains\.0\.pricing must have required property 'native'/],
    ['a native coin without sources', { native: {} }, /pricing\.native must NOT have fewer/],
    [
      'the coin’s price in the coin',
      { native: { coinFeed: { address: `0x${'11'.repeat(20)}`, heartbeatSeconds: 60 } } },
      /pricing\.native names coinFeed, which is a price in the coin itself/,
    ],
    ['fewer sources than asked for', { native: { apiId: 'a' }, minSources: 2 }, /pricing\.native names 1 of 2 sources/],
    [
      'a deviation as a number',
      { native: { apiId: 'a' }, maxDeviationPercent: 1 },
      /maxDeviationPercent must be string/,
    ],
    [
      'a misspelt field',
      { native: { apiId: 'a' }, maxAge: 1 },
      /pricing must NOT have additional properties \(maxAge\)/,
    ],
  ])('refuses pricing with %s', (_title, pricing, expected) => {
    expect(() => parseChains({ chains: [{ ...chain(), pricing }] })).toThrow(expected);
  });

  it.each([
    ['a missing field', { ...chain(), rpcUrls: undefined }, /chains\.0 must have required property 'rpcUrls'/],
    [
      'estimates of a bundler without its URL',
      { ...chain(), bundlerUrl: undefined, gasEstimates: 'bundler' },
      /chains\.0\.bundlerUrl is missing/,
    ],
    ['an unknown source of estimates', { ...chain(), gasEstimates: 'Own' }, /chains\.0\.gasEstimates/],
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
