import { encodeFunctionData } from 'viem';
import { demoPriceFeedAbi } from '@paymaster/contract-abis';
import type { Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { publicClient, richWallet, transact } from './chain';

function feedOf(stack: Stack, symbol: string): Hex {
  const feed = stack.feeds[symbol];
  if (!feed) throw new Error(`the local world has no feed of ${symbol}`);
  return feed;
}

/** The price a feed says at this moment, with eight decimals. */
export async function answerOf(stack: Stack, symbol: string): Promise<bigint> {
  const call = { address: feedOf(stack, symbol), abi: demoPriceFeedAbi, functionName: 'latestRoundData' } as const;
  const [, answer] = await publicClient(stack).readContract(call);
  return answer;
}

/** Makes a feed say a price, as of so many seconds ago. */
export async function setFeed(
  stack: Stack,
  { symbol, answer, ageSeconds = 0 }: { symbol: string; answer: bigint; ageSeconds?: number },
): Promise<void> {
  const { timestamp } = await publicClient(stack).getBlock();
  const at = timestamp - BigInt(ageSeconds);
  const args = [answer, at, at] as const;
  const data = encodeFunctionData({ abi: demoPriceFeedAbi, functionName: 'setRound', args });
  await transact(stack, { from: await richWallet(stack), to: feedOf(stack, symbol), data });
}
