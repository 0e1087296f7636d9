import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadChainsFile } from '@paymaster/chain';
import { DEMO_TOKENS } from '../chain/demo-assets';
import { writeChainsFile } from './chains-json';
import { writeTokenList } from './token-list';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-chains-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const address = (digit: number) => `0x${String(digit).repeat(40)}` as const;

it('gives the apps every token with two sources for its price, and none of another chain', () => {
  const chainId = 31337;
  const tokens = DEMO_TOKENS.map((token, index) => ({ ...token, address: address(index + 1) }));
  const feeds = Object.fromEntries(
    ['ETH', 'USDx', 'BTCx', 'DAIx'].map((symbol, index) => [symbol, address(index + 5)]),
  );
  const tokensFile = join(folder, 'tokens.json');
  const chainsFile = join(folder, 'chains.json');
  writeTokenList(tokensFile, { chainId, tokens, feeds });
  writeChainsFile(chainsFile, {
    chainId,
    chainRpc: 'http://127.0.0.1:1',
    bundler: 'http://127.0.0.1:2',
    paymasters: { '0.6': address(1), '0.7': address(1), '0.8': address(1), '0.9': address(1) },
    feeds,
    tokensFile,
  });

  const [chain] = loadChainsFile(chainsFile);
  expect(chain?.pricing?.native).toMatchObject({ feed: { address: address(5) }, apiId: 'ethereum' });
  expect(chain?.tokens.map(({ symbol, premiumMillionths }) => [symbol, premiumMillionths])).toEqual([
    ['USDx', 100_000],
    ['BTCx', 75_000],
    ['DAIx', 0],
  ]);
  for (const { price } of chain?.tokens ?? []) {
    expect(price).toMatchObject({ feed: { heartbeatSeconds: 3_600 }, apiId: expect.stringMatching(/^demo-/) });
  }
});
