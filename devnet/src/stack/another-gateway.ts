import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pad } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { DEMO_NATIVE } from '../chain/demo-assets';
import { connectDevChain } from '../chain/dev-chain';
import { ensureCoin } from '../chain/ensure-coin';
import { deployPriceFeeds } from '../chain/price-feeds';
import type { LogLine } from '../processes/process-registry';
import { startApplication, type Application } from './applications';
import { startPriceServer } from './price-server';
import { loadSecrets } from './secrets';
import { stackFile, type Stack } from './stack-file';
import { gatewayEnv } from './world-parts';

/** As far as it is changed here. */
interface ChainEntry {
  readonly bounds?: object;
  readonly tokenList: string;
  readonly pricing: { readonly native: { readonly feed: object } };
}

interface TokenEntry {
  readonly symbol: string;
  readonly extensions: { readonly paymaster: { readonly price: { readonly feed?: object } } };
}

/**
 * One more gateway of the running local world, with the bounds that a chain has by default: tests run in a world whose
 * own gateway has wider ones. It ends with this process at the latest.
 */
export function startStrictGateway(stack: Stack, log: LogLine): Promise<Application> {
  const change = (chain: ChainEntry) => ({ ...chain, bounds: undefined });
  return startAnother(stack, { name: 'strict', change, log });
}

/** One more gateway of the running local world, which sends operations to these bundlers. */
export function startGatewayWithBundlers(
  stack: Stack,
  bundlers: readonly object[],
  log: LogLine,
): Promise<Application> {
  return startAnother(stack, { name: 'bundlers', change: (chain) => ({ ...chain, bundlers }), log });
}

/**
 * One more gateway of the running local world, with feeds and a price API that no other gateway reads: a test may spoil
 * them while others run.
 *
 * @returns the world as this gateway sees it, and the end of both
 */
export async function startGatewayWithOwnPrices(
  stack: Stack,
  log: LogLine,
): Promise<{ readonly stack: Stack; stop(): Promise<void> }> {
  const chain = await connectDevChain({ rpcUrl: stack.chainRpc, privateKey: generatePrivateKey() });
  await ensureCoin(chain, [chain.account]);
  const [feeds, prices] = await Promise.all([deployPriceFeeds(chain, pad(chain.account.address)), startPriceServer()]);

  const name = 'own-prices';
  const folder = dirname(stackFile());
  const tokenList = `tokens.${name}.json`;
  const gateway = await startAnother(stack, {
    ...{ name, priceApi: prices.url, log },
    change(entry) {
      const list = readJson<{ tokens: TokenEntry[] }>(join(folder, entry.tokenList));
      const tokens = list.tokens.map((token) => withFeed(token, feeds[token.symbol]));
      writeFileSync(join(folder, tokenList), JSON.stringify({ ...list, tokens }));
      const native = {
        ...entry.pricing.native,
        feed: { ...entry.pricing.native.feed, address: feeds[DEMO_NATIVE.symbol] },
      };
      return { ...entry, tokenList, pricing: { ...entry.pricing, native } };
    },
  });
  const { url, controlUrl } = prices;
  return {
    stack: { ...stack, feeds, priceServer: { url, controlUrl }, paymasterRpc: gateway.url },
    stop: async () => void (await Promise.all([gateway.stop(), prices.stop()])),
  };
}

function withFeed(token: TokenEntry, address: string | undefined): TokenEntry {
  const { feed, ...price } = token.extensions.paymaster.price;
  if (!feed || !address) return token;
  const paymaster = { ...token.extensions.paymaster, price: { ...price, feed: { ...feed, address } } };
  return { ...token, extensions: { ...token.extensions, paymaster } };
}

function startAnother(
  stack: Stack,
  gateway: { name: string; change: (chain: ChainEntry) => object; priceApi?: string; log: LogLine },
): Promise<Application> {
  const { name, change, priceApi = stack.priceServer.url, log } = gateway;
  const folder = dirname(stackFile());
  const { chains } = readJson<{ chains: ChainEntry[] }>(join(folder, 'chains.json'));
  // In the same folder, which the path of the token list is relative to; other tests have gateways of this name too.
  const chainsFile = join(folder, `chains.${name}.${process.pid}.json`);
  writeFileSync(chainsFile, JSON.stringify({ chains: chains.map(change) }));
  const { databaseUrl, natsUrl } = stack;
  const secrets = loadSecrets(join(folder, 'secrets.json'));
  const env = gatewayEnv({ databaseUrl, natsUrl, priceApi, chainsFile, secrets });
  return startApplication({ name: 'paymaster-rpc', env, log });
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
