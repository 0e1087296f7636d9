import { writeFileSync } from 'node:fs';
import type { DeployedToken } from '../chain/demo-tokens';
import { FEED_HEARTBEAT_SECONDS, type DemoFeeds } from '../chain/price-feeds';

/** A list may speak of many chains; a paymaster here must not take this one. */
const OF_ANOTHER_CHAIN = {
  chainId: 1,
  address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  name: 'USD Coin',
  symbol: 'USDC',
  decimals: 6,
  extensions: { paymaster: { price: { apiId: 'usd-coin' } } },
};

/** Writes the operator's token list of the local world, in the Uniswap format with our extensions. */
export function writeTokenList(
  file: string,
  { chainId, tokens, feeds }: { chainId: number; tokens: readonly DeployedToken[]; feeds: DemoFeeds },
): void {
  const content = {
    name: 'Local world',
    timestamp: '2025-01-01T00:00:00.000Z',
    version: { major: 1, minor: 0, patch: 0 },
    tokens: [
      ...tokens.map(({ address, name, symbol, decimals, apiId, premiumPercentage }) => ({
        ...{ chainId, address, name, symbol, decimals },
        logoURI: `https://tokens.example/${symbol.toLowerCase()}.svg`,
        extensions: {
          paymaster: {
            price: { feed: { address: feeds[symbol], heartbeatSeconds: FEED_HEARTBEAT_SECONDS }, apiId },
            premiumPercentage,
            // Many tests use the same three tokens in the minutes that a signature lives, with wallets of any size.
            exposureCapWei: '5000000000000000000',
          },
        },
      })),
      OF_ANOTHER_CHAIN,
    ],
  };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
