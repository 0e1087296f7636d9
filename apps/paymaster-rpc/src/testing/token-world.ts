import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoPriceFeedAbi, demoTokenAbi } from '@paymaster/contract-abis';
import {
  deployDemoTokens,
  deployPriceFeeds,
  FEED_HEARTBEAT_SECONDS,
  startBundler,
  type DemoFeeds,
  type DeployedToken,
} from '@paymaster/devnet';
import { normalizeAddress, type Address } from '@paymaster/domain';
import type { ChainHead } from '@paymaster/chain';
import { until } from '@paymaster/domain/testing';
import type { PriceBook } from '@paymaster/pricing';
import { parseUnits, type Abi } from 'viem';
import { ServedChains } from '../chains/served-chains';
import { TokenChain } from './token-chain';
import { startGatewayWorld, type ChainPreparation, type GatewayWorld, type WorldOptions } from './gateway-world';

const CHAIN_ID = 31337;
const FEED_DECIMALS = 8;
/** Beside chains.json. */
const TOKEN_LIST = 'tokens.json';

/** A token of the chain's list. */
export interface ListedToken extends DeployedToken {
  readonly address: Address;
}

/** A gateway world with three tokens and with feeds whose answers the test sets. */
export interface TokenWorld extends GatewayWorld {
  readonly tokens: Readonly<Record<'USDx' | 'BTCx' | 'DAIx', ListedToken>>;
  readonly feeds: DemoFeeds;
  readonly chain: TokenChain;
  /** The gateway's own prices. They are read only when the test says so: see `setPrice` and `refresh`. */
  readonly prices: PriceBook;
  /** The gateway's own. */
  readonly head: ChainHead;
  /** The URL of the real bundler, if one was started. */
  readonly bundlerUrl: string | undefined;
  /** A deployed account that accepts any signature and has tokens, if any are named, and no coin. */
  newHolder(holding?: { token: ListedToken; baseUnits: bigint }): Promise<Address>;
  /** Sets a feed (`ETH` or a token's symbol), as of now or of some time ago, and has the gateway read it. */
  setPrice(symbol: string, usd: string, ageSeconds?: number): Promise<void>;
  /** Winds the chain's clock forward, and has the gateway read it. */
  passSeconds(seconds: number): Promise<void>;
}

export interface TokenWorldOptions extends Omit<WorldOptions, 'prepareChain'> {
  /** Starts a real bundler of its own. */
  readonly realBundler?: boolean;
  /** Fields of a token in the operator's list, in addition to its price; by symbol. */
  readonly extensions?: Readonly<Record<string, object>>;
  readonly pricing?: object;
  readonly bounds?: object;
  /** Makes additional fields of the chain in chains.json from the chain's URL. */
  readonly chainChanges?: (preparation: ChainPreparation) => Promise<object>;
}

/** Starts everything on free ports; a failed start leaves nothing behind. */
export async function startTokenWorld(options: TokenWorldOptions = {}): Promise<TokenWorld> {
  let tokens: readonly ListedToken[] = [];
  let feeds: DemoFeeds = {};
  let bundlerUrl: string | undefined;
  const world = await startGatewayWorld({
    ...options,
    prepareChain: async (preparation) => {
      feeds = await deployPriceFeeds(preparation.chain);
      const deployed = await deployDemoTokens(preparation.chain);
      tokens = deployed.map((token) => ({ ...token, address: normalizeAddress(token.address) }));
      if (options.realBundler) bundlerUrl = await bundlerOf(preparation);
      return {
        ...chainWithTokens(preparation, { options, tokens, feeds }),
        ...(bundlerUrl && { bundlerUrl }),
        ...(await options.chainChanges?.(preparation)),
      };
    },
  });
  const chain = new TokenChain(world.anvil.url);
  const { head, tokens: served } = world.app.get(ServedChains).get(CHAIN_ID);
  if (!served) throw new Error('the chain has no token mode');
  const { prices } = served;
  await until(() => isRead(prices), 'prices are read');
  // A background round would count as a reading, and a refresh after a change might join a round from before the
  // change.
  prices.stop();
  // Waits for a round that may be under way.
  await prices.refresh();
  const bySymbol = Object.fromEntries(tokens.map((token) => [token.symbol, token])) as unknown as TokenWorld['tokens'];

  return {
    ...world,
    ...{ tokens: bySymbol, feeds, chain, head, prices, bundlerUrl },
    async newHolder(holding) {
      const account = await chain.newAccount();
      if (holding) {
        const args = [account, holding.baseUnits];
        await chain.call({ to: holding.token.address, abi: demoTokenAbi as Abi, name: 'mint', args });
      }
      return account;
    },
    async setPrice(symbol, usd, ageSeconds = 0) {
      const updatedAt = BigInt((await chain.nowSeconds()) - ageSeconds);
      const args = [parseUnits(usd, FEED_DECIMALS), updatedAt, updatedAt];
      await chain.call({
        to: normalizeAddress(feeds[symbol] ?? ''),
        abi: demoPriceFeedAbi as Abi,
        name: 'setRound',
        args,
      });
      await prices.refresh();
    },
    async passSeconds(seconds) {
      const end = (await chain.nowSeconds()) + seconds;
      await chain.passSeconds(seconds);
      await until(async () => {
        await head.refresh().catch(() => undefined);
        return head.latest().timestampSeconds >= end;
      }, 'the gateway reads it');
    },
  };
}

function isRead(prices: PriceBook): boolean {
  try {
    return prices.nativeUsdE36() > 0n;
  } catch {
    return false;
  }
}

function chainWithTokens(
  { folder }: ChainPreparation,
  world: { options: TokenWorldOptions; tokens: readonly ListedToken[]; feeds: DemoFeeds },
): object {
  const { options, tokens, feeds } = world;
  const feedOf = (symbol: string) => ({ address: feeds[symbol], heartbeatSeconds: FEED_HEARTBEAT_SECONDS });
  const listed = tokens.map(({ address, name, symbol, decimals, premiumPercentage }) => ({
    ...{ chainId: CHAIN_ID, address, name, symbol, decimals },
    logoURI: `https://tokens.example/${symbol.toLowerCase()}.svg`,
    extensions: {
      paymaster: {
        price: { feed: feedOf(symbol) },
        premiumPercentage,
        ...options.extensions?.[symbol],
      },
    },
  }));
  writeFileSync(
    join(folder, TOKEN_LIST),
    JSON.stringify({
      ...{ name: 'Test', timestamp: '2025-01-01T00:00:00.000Z', version: { major: 1, minor: 0, patch: 0 } },
      tokens: listed,
    }),
  );
  return {
    // Longer than any world lives, so that only the feeds' times make prices old.
    pricing: { native: { feed: feedOf('ETH') }, maxAgeSeconds: 86_400, ...options.pricing },
    tokenList: TOKEN_LIST,
    ...(options.bounds && { bounds: options.bounds }),
  };
}

/** A real ERC-4337 bundler on the chain. */
async function bundlerOf({ anvil, onStop }: ChainPreparation): Promise<string> {
  const bundler = await startBundler({ chainRpc: anvil.url });
  onStop(() => bundler.stop());
  return bundler.url;
}
