import { encodeDeployData, encodeFunctionData, parseUnits } from 'viem';
import { demoPriceFeedAbi, demoPriceFeedBytecode } from '@paymaster/contract-abis';
import type { Hex } from '@paymaster/domain';
import { PRICED_ASSETS } from './demo-assets';
import { deployDeterministically } from './deterministic-deployment';
import type { DevChain } from './dev-chain';

/** A Chainlink-shaped feed by the symbol of what it prices in USD. */
export type DemoFeeds = Readonly<Record<string, Hex>>;

/** What chains.json promises of our feeds; ETH / USD on mainnet has the same heartbeat. */
export const FEED_HEARTBEAT_SECONDS = 3_600;
const FEED_DECIMALS = 8;
const RENEW_AFTER_SECONDS = FEED_HEARTBEAT_SECONDS / 2;
const LOOK_EVERY_MS = 60_000;

/**
 * Puts a feed per priced asset on the chain and sees to it that each says the demo price as of now, whatever the world
 * before this start was made to say. Does only what is still to do.
 *
 * @param salt feeds deployed with another salt are other feeds; those of the local world have none
 */
export async function deployPriceFeeds(chain: DevChain, salt?: Hex): Promise<DemoFeeds> {
  const deployed = PRICED_ASSETS.map(async ({ symbol, usd }) => {
    const price = parseUnits(usd, FEED_DECIMALS);
    const args = [FEED_DECIMALS, `${symbol} / USD`, price] as const;
    const feed = await deployDeterministically(chain, {
      name: `feed ${symbol} / USD`,
      salt,
      initCode: encodeDeployData({ abi: demoPriceFeedAbi, bytecode: demoPriceFeedBytecode, args }),
    });
    const { answer, ageSeconds } = await latestRound(chain, feed);
    if (answer !== price || !isYoung(ageSeconds)) await setAnswer(chain, { feed, answer: price });
    return [symbol, feed] as const;
  });
  return Object.fromEntries(await Promise.all(deployed));
}

/** Keeps feeds fresh until it is stopped. */
export interface FeedKeeper {
  /** Looks at every feed now, after the look that is under way. */
  look(): Promise<void>;
  stop(): void;
}

/**
 * Repeats the answers of feeds before their heartbeat runs out, as a real feed's operators do: that a world which is up
 * for hours has fresh prices is this function's doing and no market's. A round that was stale when it came stays: a
 * test wants it so.
 *
 * @param chain of a key that sends nothing else
 */
export function keepFeedsFresh(chain: DevChain, feeds: DemoFeeds, everyMs = LOOK_EVERY_MS): FeedKeeper {
  const seenAlive = new Map<Hex, bigint>();
  const lookAt = async (feed: Hex): Promise<void> => {
    const { roundId, answer, ageSeconds } = await latestRound(chain, feed);
    if (ageSeconds < FEED_HEARTBEAT_SECONDS) seenAlive.set(feed, roundId);
    // One that was seen alive may be found stale all the same: the machine slept.
    if (!isYoung(ageSeconds) && seenAlive.get(feed) === roundId) await setAnswer(chain, { feed, answer });
  };
  // A chain that is gone is noticed elsewhere; here the next look tries again.
  const lookAtAll = () => Promise.all(Object.values(feeds).map((feed) => lookAt(feed).catch(() => undefined)));
  let looking: Promise<unknown> = lookAtAll();
  const look = async (): Promise<void> => void (await (looking = looking.then(lookAtAll)));
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}

interface Round {
  readonly roundId: bigint;
  readonly answer: bigint;
  readonly ageSeconds: number;
}

async function latestRound(chain: DevChain, feed: Hex): Promise<Round> {
  const [[roundId, answer, , updatedAt], { timestamp }] = await Promise.all([
    chain.reader.readContract({ address: feed, abi: demoPriceFeedAbi, functionName: 'latestRoundData' }),
    chain.reader.getBlock(),
  ]);
  // A chain loaded from its file is behind our clock until its next block; one that was wound forward is ahead.
  const nowSeconds = Math.max(Math.floor(Date.now() / 1_000), Number(timestamp));
  return { roundId, answer, ageSeconds: nowSeconds - Number(updatedAt) };
}

function isYoung(ageSeconds: number): boolean {
  return ageSeconds < RENEW_AFTER_SECONDS;
}

function setAnswer(chain: DevChain, { feed, answer }: { feed: Hex; answer: bigint }): Promise<void> {
  const data = encodeFunctionData({ abi: demoPriceFeedAbi, functionName: 'setAnswer', args: [answer] });
  return chain.execute({ to: feed, data });
}
