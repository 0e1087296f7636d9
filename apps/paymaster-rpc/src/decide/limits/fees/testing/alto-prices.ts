import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeeHistory } from './fee-histories';
import { tipAt, type PricedNode } from './priced-node';

/** `pimlico_getUserOperationGasPrice` of one block, in JSON. */
export type AltoPrices = Readonly<
  Record<'slow' | 'standard' | 'fast', { readonly maxFeePerGas: string; readonly maxPriorityFeePerGas: string }>
>;

/** The factors of Pimlico's own bundlers, derived from answers in public documentation; percent. */
const HOSTED_MULTIPLIERS = '105,110,115';

/** Polygon's gas station: what half of the gas of the last 15 blocks tipped on average, and never less than 30 gwei. */
const STATION = { blocks: 15, percentile: 50, leastGwei: 30 } as const;

const BUNDLER = join(process.cwd(), 'devnet/bundler/node_modules');
const ALTO = join(BUNDLER, '@pimlico/alto/esm');

interface GasPriceManager {
  getGasPrice(): Promise<unknown>;
}
interface AltoModules {
  readonly GasPriceManager: new (config: object) => GasPriceManager;
  readonly pimlicoGetUserOperationGasPriceHandler: { handler(asked: { rpcHandler: object }): Promise<object> };
  readonly createPublicClient: (options: object) => unknown;
  readonly custom: (provider: object, options: object) => unknown;
}

/**
 * By block number, what the local world's alto, with its defaults, and Pimlico's own bundlers answer when each of these
 * blocks is the newest. Runs alto's own code against a node that answers as of one block.
 */
export async function altoPrices(
  { chainId, blocks }: FeeHistory,
  { node, heads }: { node: PricedNode; heads: ReadonlySet<number> },
): Promise<Record<'alto' | 'Pimlico', ReadonlyMap<number, AltoPrices>>> {
  const { GasPriceManager, pimlicoGetUserOperationGasPriceHandler, createPublicClient, custom } = {
    ...((await import(join(ALTO, 'handlers/gasPriceManager.js'))) as AltoModules),
    ...((await import(join(ALTO, 'rpc/methods/pimlico_getUserOperationGasPrice.js'))) as AltoModules),
    ...((await import(join(BUNDLER, 'viem/_esm/index.js'))) as AltoModules),
  };
  const chains = (await import(join(BUNDLER, 'viem/_esm/chains/index.js'))) as Record<string, { id?: number }>;
  let head = 0;
  const request = async ({ method }: { method: string }): Promise<unknown> => node.answer(head, method);
  const config = {
    publicClient: createPublicClient({
      ...{ chain: Object.values(chains).find(({ id }) => id === chainId), cacheTime: 0 },
      transport: custom({ request }, { retryCount: 0 }),
    }),
    ...{ chainId, chainType: 'default', legacyTransactions: false, isGasFreeChain: false },
    gasPriceBump: BigInt(option('gas-price-bump')),
    gasPriceExpiry: Number(option('gas-price-expiry')),
    gasPriceRefreshInterval: Number(option('gas-price-refresh-interval')),
    getLogger: () => LOGGER,
  };
  const manager = new GasPriceManager(config);
  const tell = async (price: unknown, multipliers: string): Promise<AltoPrices> => {
    const [slow, standard, fast] = multipliers.split(',').map(BigInt);
    const rpcHandler = {
      gasPriceManager: { getGasPrice: async () => price },
      config: { ...config, gasPriceMultipliers: { slow, standard, fast } },
    };
    const answer = await pimlicoGetUserOperationGasPriceHandler.handler({ rpcHandler });
    return JSON.parse(JSON.stringify(answer, hex)) as AltoPrices;
  };
  const prices = { alto: new Map<number, AltoPrices>(), Pimlico: new Map<number, AltoPrices>() };
  const realFetch = globalThis.fetch;
  globalThis.fetch = async () => Response.json(station(blocks.slice(Math.max(0, head - STATION.blocks + 1), head + 1)));
  try {
    for (head of heads) {
      const price = await manager.getGasPrice();
      prices.alto.set(head, await tell(price, option('gas-price-multipliers')));
      prices.Pimlico.set(head, await tell(price, HOSTED_MULTIPLIERS));
    }
  } finally {
    globalThis.fetch = realFetch;
  }
  return prices;
}

/** A default of alto. It is read as text, because importing its module would start the whole bundler. */
function option(name: string): string {
  const [, value] = new RegExp(`"${name}": {[^}]*default: "?([0-9,]+)`).exec(OPTIONS) ?? [];
  if (value === undefined) throw new Error(`alto has no default of ${name}`);
  return value;
}
const OPTIONS = readFileSync(join(ALTO, 'cli/config/options.js'), 'utf8');

const LOGGER = {
  error: (error: unknown): void => {
    throw new Error(JSON.stringify(error));
  },
  warn: () => undefined,
};

const hex = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `0x${value.toString(16)}` : value);

function station(blocks: FeeHistory['blocks']): object {
  const tipWei = blocks.reduce((sum, block) => sum + tipAt(block, STATION.percentile), 0) / blocks.length;
  const maxPriorityFee = Math.max(STATION.leastGwei, tipWei / 1e9);
  const speed = { maxPriorityFee, maxFee: maxPriorityFee + (blocks.at(-1)?.baseFeeWei ?? 0) / 1e9 };
  return { safeLow: speed, standard: speed, fast: speed };
}
