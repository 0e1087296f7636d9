import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeeHistory } from './fee-histories';
import { tipAt, type PricedNode } from './priced-node';

/** `pimlico_getUserOperationGasPrice` of one block, in JSON. */
export type AltoPrices = Readonly<
  Record<'slow' | 'standard' | 'fast', { readonly maxFeePerGas: string; readonly maxPriorityFeePerGas: string }>
>;

/**
 * The factors for slow, standard and fast of Pimlico's own bundlers, derived from answers in public documentation;
 * percent.
 */
export const HOSTED_MULTIPLIERS = '105,110,115';

/** Polygon's gas station: what half of the gas of the last 15 blocks tipped on average, and never less than 30 gwei. */
const STATION = { blocks: 15, percentile: 50, leastGwei: 30 } as const;

const ALTO = join(process.cwd(), 'devnet/bundler/node_modules/@pimlico/alto/esm');
const VIEM = join(process.cwd(), 'devnet/bundler/node_modules/viem/_esm');

/** Runs alto's own code with its defaults, against a node that answers as of one block. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  const { GasPriceManager } = await import('${ALTO}/handlers/gasPriceManager.js');
  const { pimlicoGetUserOperationGasPriceHandler } = await import('${ALTO}/rpc/methods/pimlico_getUserOperationGasPrice.js');
  const { createPublicClient, custom } = await import('${VIEM}/index.js');
  const chains = await import('${VIEM}/chains/index.js');
  const { chainId, blocks, multipliers, options } = JSON.parse(readFileSync(0, 'utf8'));
  // The defaults are read as text, because importing their module would start the whole bundler.
  const option = (name) => new RegExp('"' + name + '": {[^}]*default: "?([0-9,]+)').exec(options)[1];
  const [slow, standard, fast] = (multipliers ?? option('gas-price-multipliers')).split(',').map(BigInt);
  let block;
  globalThis.fetch = async () => ({ json: async () => block.station });
  const request = async ({ method }) => {
    const answer = block[method];
    if (answer === undefined) throw new Error('unexpected ' + method);
    return answer;
  };
  const chain = Object.values(chains).find(({ id }) => id === chainId);
  const logger = { error: (error) => { throw new Error(JSON.stringify(error)); }, warn: () => undefined };
  const config = {
    publicClient: createPublicClient({ chain, transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 }),
    chainId, chainType: 'default', legacyTransactions: false, isGasFreeChain: false,
    gasPriceBump: BigInt(option('gas-price-bump')), gasPriceExpiry: Number(option('gas-price-expiry')),
    gasPriceRefreshInterval: Number(option('gas-price-refresh-interval')), gasPriceMultipliers: { slow, standard, fast },
    getLogger: () => logger,
  };
  const rpcHandler = { gasPriceManager: new GasPriceManager(config), config };
  const answers = [];
  for (block of blocks) answers.push(await pimlicoGetUserOperationGasPriceHandler.handler({ rpcHandler }));
  const hex = (_key, value) => (typeof value === 'bigint' ? '0x' + value.toString(16) : value);
  process.stdout.write(JSON.stringify(answers, hex), () => process.exit(0));`;

/**
 * The answers of the local world's alto, with its defaults, when each of these blocks is the newest; by block number.
 */
export function altoPrices(
  { chainId, blocks }: FeeHistory,
  { node, heads, multipliers }: { node: PricedNode; heads: ReadonlySet<number>; multipliers?: string },
): ReadonlyMap<number, AltoPrices> {
  const asked = [...heads].map((head) => ({
    eth_getBlockByNumber: node.answer(head, 'eth_getBlockByNumber'),
    eth_maxPriorityFeePerGas: node.answer(head, 'eth_maxPriorityFeePerGas'),
    station: station(blocks.slice(Math.max(0, head - STATION.blocks + 1), head + 1)),
  }));
  const options = readFileSync(join(ALTO, 'cli/config/options.js'), 'utf8');
  const input = JSON.stringify({ chainId, blocks: asked, multipliers, options });
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    ...{ input, maxBuffer: 2 ** 28, stdio: ['pipe', 'pipe', 'inherit'] },
  });
  const answers = JSON.parse(printed.toString()) as AltoPrices[];
  return new Map([...heads].map((head, index) => [head, answers[index]!]));
}

function station(blocks: FeeHistory['blocks']): object {
  const tipWei = blocks.reduce((sum, block) => sum + tipAt(block, STATION.percentile), 0) / blocks.length;
  const maxPriorityFee = Math.max(STATION.leastGwei, tipWei / 1e9);
  const speed = { maxPriorityFee, maxFee: maxPriorityFee + (blocks.at(-1)?.baseFeeWei ?? 0) / 1e9 };
  return { safeLow: speed, standard: speed, fast: speed };
}
