import { ChainProvider } from '@paymaster/chain';
import { startAnvil, type Anvil } from '@paymaster/devnet';
import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { CHAIN_ID } from '../../testing/dashboard-under-test';
import { DevContracts } from '../../testing/dev-contracts';
import { readPriceFeed } from './price-feed.probe';

let anvil: Anvil;
let contracts: DevContracts;
let faults: Error[];
beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
});
afterAll(async () => {
  contracts.stop();
  await anvil.stop();
});
beforeEach(() => (faults = []));

function probe(feed: Address, url = anvil.url): Promise<bigint> {
  const chain = { chainId: CHAIN_ID, rpcUrls: [url] };
  // A machine that stands still is not a node's fault.
  const patience = { callTimeoutMs: 60_000, totalTimeoutMs: 60_000 };
  return readPriceFeed(new ChainProvider(chain, { ...patience, onFault: (error) => faults.push(error) }), {
    address: feed,
    field: 'price.feed',
  });
}

describe('readPriceFeed', () => {
  it.each([0, 8, 18, 36])('takes a feed of %d decimals', async (decimals) => {
    await expect(probe(await contracts.feed({ decimals }))).resolves.toBeGreaterThan(0n);
  });

  it.each<[string, () => Promise<Address>, string]>([
    ['an account without code', async () => randomAddress(), 'does not answer decimals()'],
    ['a token', () => contracts.token(), 'does not answer latestRoundData()'],
    ['a feed of 37 decimals', () => contracts.feed({ decimals: 37 }), 'has 37 decimals, more than 36'],
    ['a feed that says zero', () => contracts.feed({ answer: 0n }), 'answers a price that is not above zero'],
    ['a feed that says less', () => contracts.feed({ answer: -1n }), 'answers a price that is not above zero'],
    // PUSH1 32 PUSH1 0 RETURN: a word of zeros, whatever is asked.
    ['a contract of one answer', () => answering('0x60206000f3'), 'does not answer latestRoundData()'],
    // PUSH1 160 PUSH1 0 RETURN, but one word when `decimals()` is asked: a feed whose words are all zero.
    [
      'a feed without a round',
      () => answering('0x60003560e01c63313ce5671460145760a06000f35b60206000f3'),
      'has not answered yet',
    ],
    ['a contract that always reverts', () => answering('0x60006000fd'), 'does not answer decimals()'],
    ['a contract that returns 10 kB', () => answering('0x6127106000f3'), 'does not answer decimals()'],
  ])('refuses %s, and blames no node for it', async (_title, deploy, problem) => {
    await expect(probe(await deploy())).rejects.toThrow(`price.feed: address is no price feed: it ${problem}`);
    expect(faults).toEqual([]);
  });

  it('says that the chain is down when it is', async () => {
    await expect(probe(randomAddress(), 'http://127.0.0.1:1')).rejects.toThrow(DependencyUnavailableError);
  });
});

const answering = (code: Hex): Promise<Address> => contracts.code(code, randomAddress());
