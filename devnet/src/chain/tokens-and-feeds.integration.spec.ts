import { encodeFunctionData } from 'viem';
import { demoPermitTokenAbi, demoPriceFeedAbi, demoTokenAbi } from '@paymaster/contract-abis';
import type { Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { startAnvil, type Anvil } from '../processes/anvil';
import { connectDevChain, type DevChain } from './dev-chain';
import { DEV_KEYS } from './dev-keys';
import { deployDemoTokens, mintTokens, type DeployedToken } from './demo-tokens';
import {
  deployPriceFeeds,
  FEED_HEARTBEAT_SECONDS,
  keepFeedsFresh,
  type DemoFeeds,
  type FeedKeeper,
} from './price-feeds';

const HOUR = 3_600;
let anvil: Anvil;
let chain: DevChain;
let tokens: DeployedToken[];
let feeds: DemoFeeds;

beforeAll(async () => {
  anvil = await startAnvil({ blockTimeSeconds: 0 });
  chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
  tokens = await deployDemoTokens(chain);
  feeds = await deployPriceFeeds(chain);
});

afterAll(() => anvil.stop());

const read = (feed: Hex) =>
  chain.reader.readContract({ address: feed, abi: demoPriceFeedAbi, functionName: 'latestRoundData' });
const answerOf = async (feed: Hex) => (await read(feed))[1];
const updatedAtOf = async (feed: Hex) => Number((await read(feed))[3]);
const nowSeconds = () => Math.floor(Date.now() / 1_000);

function setRound(feed: Hex, { answer, ageSeconds }: { answer: bigint; ageSeconds: number }): Promise<void> {
  const at = BigInt(nowSeconds() - ageSeconds);
  const args = [answer, at, at] as const;
  return chain.execute({
    to: feed,
    data: encodeFunctionData({ abi: demoPriceFeedAbi, functionName: 'setRound', args }),
  });
}

function feed(symbol: string): Hex {
  const address = feeds[symbol];
  if (!address) throw new Error(`no feed of ${symbol}`);
  return address;
}

describe('deployDemoTokens', () => {
  it('gives three tokens of 6, 8 and 18 decimals, one of them with permits', async () => {
    const seen = await Promise.all(
      tokens.map(({ address }) =>
        Promise.all([
          chain.reader.readContract({ address, abi: demoTokenAbi, functionName: 'symbol' }),
          chain.reader.readContract({ address, abi: demoTokenAbi, functionName: 'decimals' }),
          chain.reader.readContract({ address, abi: demoPermitTokenAbi, functionName: 'DOMAIN_SEPARATOR' }).then(
            () => 'permit',
            () => 'no permit',
          ),
        ]),
      ),
    );
    expect(seen).toEqual([
      ['USDx', 6, 'permit'],
      ['BTCx', 8, 'no permit'],
      ['DAIx', 18, 'no permit'],
    ]);
  });

  it('has a faucet for any holder', async () => {
    const [token] = tokens as [DeployedToken];
    const holder = '0x00000000000000000000000000000000000000aa';
    await mintTokens(chain, { token: token.address, holder, amount: 25_000_000n });
    const balance = await chain.reader.readContract({
      address: token.address,
      abi: demoTokenAbi,
      functionName: 'balanceOf',
      args: [holder],
    });
    expect(balance).toBe(25_000_000n);
  });
});

describe('deployPriceFeeds', () => {
  it('prices the coin and every token, with eight decimals', async () => {
    expect(Object.keys(feeds)).toEqual(['ETH', 'USDx', 'BTCx', 'DAIx']);
    expect(await answerOf(feed('ETH'))).toBe(318_742_000_000n);
    expect(await answerOf(feed('BTCx'))).toBe(9_621_055_000_000n);
    const abi = demoPriceFeedAbi;
    expect(await chain.reader.readContract({ address: feed('ETH'), abi, functionName: 'decimals' })).toBe(8);
  });

  it('changes nothing when all is there and fresh', async () => {
    const before = await chain.reader.getTransactionCount({ address: DEV_KEYS.owner.address });
    expect(await deployDemoTokens(chain)).toEqual(tokens);
    expect(await deployPriceFeeds(chain)).toEqual(feeds);
    expect(await chain.reader.getTransactionCount({ address: DEV_KEYS.owner.address })).toBe(before);
  });

  it.each([
    ['stale', { answer: 318_742_000_000n, ageSeconds: 2 * HOUR }],
    ['lying', { answer: -1n, ageSeconds: 0 }],
  ])('a start puts a %s feed right', async (_kind, round) => {
    await setRound(feed('ETH'), round);
    await deployPriceFeeds(chain);
    expect(await answerOf(feed('ETH'))).toBe(318_742_000_000n);
    expect(await updatedAtOf(feed('ETH'))).toBeGreaterThanOrEqual(nowSeconds() - 60);
  });
});

describe('keepFeedsFresh', () => {
  let keeper: FeedKeeper;
  afterEach(() => keeper.stop());
  const isRenewed = async (address: Hex) => (await updatedAtOf(address)) >= nowSeconds() - 60;

  it('repeats an answer before its heartbeat runs out, and leaves a stale one as it came', async () => {
    const [usdx, btcx] = [feed('USDx'), feed('BTCx')];
    await setRound(usdx, { answer: 99_000_000n, ageSeconds: FEED_HEARTBEAT_SECONDS - 600 });
    await setRound(btcx, { answer: 1n, ageSeconds: FEED_HEARTBEAT_SECONDS + 600 });
    keeper = keepFeedsFresh(chain, feeds);
    await keeper.look();
    expect(await isRenewed(usdx)).toBe(true);
    expect(await answerOf(usdx)).toBe(99_000_000n);
    expect(await isRenewed(btcx)).toBe(false);
  });

  it('looks again and again by itself', async () => {
    const usdx = feed('USDx');
    keeper = keepFeedsFresh(chain, { USDx: usdx }, 50);
    await keeper.look();
    await setRound(usdx, { answer: 99_000_000n, ageSeconds: FEED_HEARTBEAT_SECONDS - 600 });
    await until(() => isRenewed(usdx));
  });

  it('repeats an answer that grew stale while the machine slept', async () => {
    const daix = feed('DAIx');
    keeper = keepFeedsFresh(chain, { DAIx: daix });
    await keeper.look();
    const before = await updatedAtOf(daix);
    await fetch(anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_increaseTime', params: [5 * HOUR] }),
    });
    await chain.execute({ to: DEV_KEYS.owner.address, data: '0x' });
    await keeper.look();
    expect(await updatedAtOf(daix)).toBeGreaterThanOrEqual(before + 5 * HOUR);
  });
});
