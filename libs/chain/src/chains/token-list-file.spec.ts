import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NATIVE_PSEUDO_ADDRESS, normalizeAddress, toPriceReference, ZERO_ADDRESS } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { parseChains } from './chains-file';
import { ChainsFileError } from './config-file';
import { MAX_TOKENS_PER_CHAIN, parseTokenList } from './token-list-file';

const CHAIN_ID = 10;

const terms = () => ({ price: { apiId: 'usd-coin' } });
const entry = (change: object = {}) => ({
  chainId: CHAIN_ID,
  address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
  name: 'USD Coin',
  symbol: 'USDC',
  decimals: 6,
  logoURI: 'https://tokens.example/usdc.svg',
  extensions: { paymaster: terms() },
  ...change,
});
const list = (...tokens: object[]) => ({
  name: 'Tokens we take',
  timestamp: '2025-01-01T00:00:00.000Z',
  version: { major: 1, minor: 0, patch: 0 },
  keywords: ['fees'],
  tokens,
});
const parse = (raw: unknown, minSources = 1) =>
  parseTokenList(structuredClone(raw), { chainId: CHAIN_ID, minSources, path: 'tokens.json' });
const withTerms = (change: object) => entry({ extensions: { paymaster: { ...terms(), ...change } } });

describe('parseTokenList', () => {
  it('fills in what the operator left out', () => {
    expect(parse(list(entry()))).toEqual([
      {
        address: '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
        symbol: 'USDC',
        decimals: 6,
        logoUrl: 'https://tokens.example/usdc.svg',
        price: toPriceReference({ apiId: 'usd-coin' }),
        premiumMillionths: 100_000,
        exposureCapWei: null,
        chargingWays: ['allowance', 'permit', 'batchApproval'],
        transferGas: 65_000,
      },
    ]);
  });

  it('takes every term that is given', () => {
    const feed = { address: `0x${'AB'.repeat(20)}`, heartbeatSeconds: 86_400 };
    const token = withTerms({
      price: { feed, apiId: 'usd-coin', fixedUsd: '0.9995' },
      premiumPercentage: '2.5',
      exposureCapWei: '7',
      chargingWays: ['permit'],
      transferGas: 90_000,
    });
    expect(parse(list(token))[0]).toMatchObject({
      price: { feed: { address: normalizeAddress(feed.address), heartbeatSeconds: 86_400 }, fixedUsd: '0.9995' },
      premiumMillionths: 25_000,
      exposureCapWei: 7n,
      chargingWays: ['permit'],
      transferGas: 90_000,
    });
  });

  it('takes only entries of the chain that say how they are priced', () => {
    const other = entry({ chainId: 1 });
    const notOurs = entry({ address: randomAddress(), extensions: { bridgeInfo: {} } });
    const plain = entry({ address: randomAddress(), extensions: undefined, decimals: 77, symbol: '' });
    expect(parse(JSON.parse(JSON.stringify(list(other, notOurs, plain, entry()))))).toHaveLength(1);
  });

  it.each([undefined, 'ipfs://Qm', 'http://tokens.example/a.png', 'https://tokens.example/"onload='])(
    'shows no logo for %s',
    (logoURI) => {
      expect(parse(list(entry({ logoURI })))[0]?.logoUrl).toBeNull();
    },
  );

  it.each<[string, object, string]>([
    ['no name', { ...list(), name: undefined }, "the file must have required property 'name'"],
    ['no tokens', { ...list(), tokens: undefined }, "required property 'tokens'"],
    ['an address that is none', list(entry({ address: '0x12' })), 'tokens.0.address must match pattern'],
    ['the zero address', list(entry({ address: ZERO_ADDRESS })), 'tokens.0.address 0x0000'],
    ['the native coin', list(entry({ address: NATIVE_PSEUDO_ADDRESS.toUpperCase().replace('X', 'x') })), 'native coin'],
    ['37 decimals', list(entry({ decimals: 37 })), 'tokens.0.decimals 37 are more than 36'],
    ['a token twice', list(entry(), entry({ address: entry().address.toLowerCase() })), 'tokens.1.address'],
    ['a symbol with markup', list(entry({ symbol: '<b>' })), 'tokens.0.symbol'],
    ['a symbol that is no text', list(entry({ symbol: 1 })), 'tokens.0.symbol must be string'],
    ['a misspelt field', list(entry({ extension: {} })), '(extension)'],
    ['a misspelt term', list(withTerms({ premium: '1' })), 'tokens.0.extensions.paymaster must NOT have'],
    ['no price', list(entry({ extensions: { paymaster: {} } })), "must have required property 'price'"],
    [
      'a price without sources',
      list(withTerms({ price: {} })),
      'tokens.0.extensions.paymaster.price must NOT have fewer',
    ],
    ['a price of zero', list(withTerms({ price: { fixedUsd: '0.00' } })), 'price.fixedUsd must match pattern'],
    ['an API id that leaves its place', list(withTerms({ price: { apiId: 'a&b' } })), 'price.apiId must match'],
    [
      'a feed without heartbeat',
      list(withTerms({ price: { feed: { address: randomAddress() } } })),
      'heartbeatSeconds',
    ],
    ['a premium as a number', list(withTerms({ premiumPercentage: 10 })), 'premiumPercentage must be string'],
    ['a premium over 100', list(withTerms({ premiumPercentage: '100.1' })), 'premiumPercentage must match pattern'],
    ['an exposure that is no amount', list(withTerms({ exposureCapWei: '1e18' })), 'exposureCapWei must match'],
    ['an unknown way', list(withTerms({ chargingWays: ['credit'] })), 'chargingWays.0 must be equal to one of'],
    ['a way twice', list(withTerms({ chargingWays: ['permit', 'permit'] })), 'chargingWays must NOT have duplicate'],
    ['no way', list(withTerms({ chargingWays: [] })), 'chargingWays must NOT have fewer'],
    ['too little gas', list(withTerms({ transferGas: 20_999 })), 'transferGas must be >= 21000'],
  ])('refuses %s, and names file and field', (_title, raw, expected) => {
    const act = () => parse(JSON.parse(JSON.stringify(raw)));
    expect(act).toThrow(ChainsFileError);
    expect(act).toThrow(/^tokens\.json: /);
    expect(act).toThrow(expected);
  });

  it('refuses a token that names fewer sources than the chain asks for', () => {
    expect(() => parse(list(entry()), 2)).toThrow('tokens.0.extensions.paymaster.price names 1 of 2 sources');
  });

  it(`refuses more than ${MAX_TOKENS_PER_CHAIN} tokens of one chain`, () => {
    const tokens = Array.from({ length: MAX_TOKENS_PER_CHAIN + 1 }, () => entry({ address: randomAddress() }));
    expect(() => parse(list(...tokens))).toThrow(`tokens are ${tokens.length} on chain ${CHAIN_ID}`);
    expect(parse(list(...tokens.slice(1), entry({ chainId: 1 })))).toHaveLength(MAX_TOKENS_PER_CHAIN);
  });
});

describe('parseChains with a token list', () => {
  const chain = {
    chainId: CHAIN_ID,
    name: 'local',
    rpcUrls: ['http://127.0.0.1:8545'],
    bundlerUrl: 'http://127.0.0.1:4337',
    entryPoints: { '0.7': { entryPoint: randomAddress(), paymaster: randomAddress() } },
    tokenList: 'lists/tokens.json',
  };
  const pricing = { native: { apiId: 'ethereum' } };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'token-list-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const parseIn = (content: object, path = join(folder, 'chains.json')) =>
    parseChains({ chains: [structuredClone(content)] }, path);

  it('finds the list beside chains.json, wherever the process runs', () => {
    const named = join(folder, 'tokens.json');
    writeFileSync(named, JSON.stringify(list(entry())));
    const [relative] = parseIn({ ...chain, pricing, tokenList: './tokens.json' });
    const [absolute] = parseIn({ ...chain, pricing, tokenList: named }, 'chains.json');
    for (const parsed of [relative, absolute]) {
      expect(parsed?.tokens.map(({ symbol }) => symbol)).toEqual(['USDC']);
      expect(parsed).not.toHaveProperty('tokenList');
    }
  });

  it('names the list that cannot be read or is no JSON', () => {
    expect(() => parseIn({ ...chain, pricing })).toThrow(join(folder, 'lists/tokens.json') + ': cannot be read');
    writeFileSync(join(folder, 'tokens.json'), '{');
    expect(() => parseIn({ ...chain, pricing, tokenList: 'tokens.json' })).toThrow('tokens.json: is not JSON');
  });

  it('refuses tokens if the native coin has no price', () => {
    expect(() => parseIn(chain)).toThrow('chains.0.tokenList needs chains.0.pricing');
  });
});
