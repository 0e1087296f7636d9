import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoPriceFeedAbi } from '@paymaster/contract-abis';
import { deployPriceFeeds, FEED_HEARTBEAT_SECONDS, type DevChain } from '@paymaster/devnet';
import { ceilDiv, normalizeAddress } from '@paymaster/domain';
import type { QuotedToken } from './quote-requests';

const TOKENS = 100;
const DECIMALS = [6, 8, 18] as const;

/** What chains.json says of prices, and what quotes must say. */
export interface PricedTokens {
  readonly pricing: object;
  /** Path of the token list. */
  readonly tokenList: string;
  readonly tokens: readonly QuotedToken[];
}

/** A hundred tokens of different decimals and fixed prices, on a chain whose coin is priced by a feed. */
export async function priceTokens(chain: DevChain, folder: string): Promise<PricedTokens> {
  const address = normalizeAddress((await deployPriceFeeds(chain))['ETH'] ?? '');
  const round = { address, abi: demoPriceFeedAbi, functionName: 'latestRoundData' } as const;
  const [, nativeUsdE8] = await chain.reader.readContract(round);
  const made = Array.from({ length: TOKENS }, (_, index) => newToken({ index, chainId: chain.chainId, nativeUsdE8 }));
  const tokenList = join(folder, 'tokens.json');
  const [timestamp, version] = ['2025-01-01T00:00:00.000Z', { major: 1, minor: 0, patch: 0 }];
  writeFileSync(
    tokenList,
    JSON.stringify({ name: 'Benchmark', timestamp, version, tokens: made.map(({ listed }) => listed) }),
  );
  return {
    pricing: { native: { feed: { address, heartbeatSeconds: FEED_HEARTBEAT_SECONDS } } },
    tokenList,
    tokens: made.map(({ token }) => token),
  };
}

function newToken({ index, chainId, nativeUsdE8 }: { index: number; chainId: number; nativeUsdE8: bigint }) {
  const decimals = DECIMALS[index % DECIMALS.length] ?? 18;
  const cents = BigInt(101 + index);
  const fixedUsd = `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`;
  const address = `0x${randomBytes(20).toString('hex')}` as const;
  const extensions = { paymaster: { price: { fixedUsd }, premiumPercentage: '10' } };
  return {
    listed: { chainId, address, name: `Token ${index}`, symbol: `TKN${index}`, decimals, extensions },
    token: { address, exchangeRate: ceilDiv(10n ** BigInt(decimals) * nativeUsdE8, cents * 10n ** 6n) },
  };
}
