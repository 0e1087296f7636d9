import { placeAccountContracts } from '../../apps/paymaster-rpc-e2e/src/clients/account-contracts';
import { ServedChains } from '../../apps/paymaster-rpc/src/chains/served-chains';
import { startGatewayWorld } from '../../apps/paymaster-rpc/src/testing/gateway-world';
import { compileSolidity } from '@paymaster/chain/testing';
import { CANONICAL_DELEGATE, DEV_KEYS, rpc, startBundler, type Stack } from '@paymaster/devnet';
import { DEFAULT_PAYMASTER_SETTINGS, normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { rulesPolicyBuilder } from '@paymaster/domain/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberToHex } from 'viem';
import { localChain, type LocalChain } from './accounts';

const CHAIN_ID = 31337;
/** A block of anvil has room for it beside the neighbours, who take half of each block. */
const TRANSACTION_GAS = 14_000_000n;
/** More than the neighbours ever pay. */
const FEES = { maxFeePerGas: numberToHex(10n ** 12n), maxPriorityFeePerGas: numberToHex(10n ** 11n) };
const MOST_BLOCKS = 5;
/** Own bound: no settlement runs here, so holds are never released. */
const CAPS = { perSender: 1_000, perClient: 1_000_000, perPaymaster: 1_000_000, clientSharePercent: 100 };

export interface Receipt {
  readonly transactionHash: Hex;
  readonly status: Hex;
  readonly contractAddress: Hex | null;
  readonly logs: readonly { readonly topics: readonly Hex[]; readonly data: Hex }[];
}

/** A chain with the accounts' contracts and a target, a gateway that measures gas itself, and alto. */
export interface EstimatesWorld {
  readonly chain: LocalChain;
  /** The gateway's address for a paymaster that sponsors everything. */
  readonly paymasterUrl: string;
  readonly bundlerUrl: string;
  readonly targets: Address;
  /** How long each estimate of the gateway took, without what surrounds it; milliseconds. */
  readonly estimateMs: number[];
  /** Lets the gateway see the newest block, which here follows the last one faster than the chain's block time. */
  seeHead(): Promise<void>;
  send(transaction: { to?: Address; data: Hex; authorizationList?: readonly unknown[] }): Promise<Receipt>;
  stop(): Promise<void>;
}

export async function startEstimatesWorld(): Promise<EstimatesWorld> {
  let bundlerUrl = '';
  const world = await startGatewayWorld({
    fundingWei: 10n ** 24n,
    prepareChain: async ({ anvil, onStop }) => {
      await placeAccountContracts({ chainRpc: anvil.url } as Stack);
      const alto = await startBundler({ chainRpc: anvil.url });
      onStop(() => alto.stop());
      bundlerUrl = alto.url;
      // The node itself, and not the proxy before it, which takes as long as the node.
      return { bundlerUrl, rpcUrls: [anvil.url], gasEstimates: 'own' };
    },
  });
  const from = normalizeAddress(DEV_KEYS.thirdExecutor.address);
  const { url } = world.anvil;
  await rpc(url, 'anvil_setBalance', [from, numberToHex(10n ** 30n)]);
  const { apiKey } = world.newPaymaster({
    policies: [rulesPolicyBuilder({ eip7702Delegates: [CANONICAL_DELEGATE] }).build()],
    settings: {
      ...DEFAULT_PAYMASTER_SETTINGS,
      // Own bound: see CAPS.
      ...{ sponsorAnyContract: true, sponsorNativeTransfers: true, sponsorDeployments: 'always' },
      ...{ allowUnknownFactories: true, spendingBrake: false, maxExpirySeconds: 3_600 },
      liveSignatureCaps: CAPS,
    },
  });
  const { gas, head } = world.app.get(ServedChains).get(CHAIN_ID);
  const estimateMs: number[] = [];
  const estimate = gas.estimateGasLimits.bind(gas);
  gas.estimateGasLimits = async (request) => {
    const startedMs = performance.now();
    return estimate(request).finally(() => void estimateMs.push(performance.now() - startedMs));
  };
  const send: EstimatesWorld['send'] = async (transaction) => {
    const sent = { from, gas: numberToHex(TRANSACTION_GAS), ...FEES, ...transaction };
    const hash = await rpc<Hex>(url, 'eth_sendTransaction', [sent]);
    // The neighbours may have filled the next block already.
    for (let block = 0; block < MOST_BLOCKS; block++) {
      await rpc(url, 'evm_mine', []);
      const receipt = await rpc<Receipt | null>(url, 'eth_getTransactionReceipt', [hash]);
      if (receipt) return receipt;
    }
    throw new Error(`Transaction ${hash} is in none of ${MOST_BLOCKS} blocks.`);
  };
  const source = readFileSync(join(__dirname, 'Targets.sol'), 'utf8');
  const { Targets } = compileSolidity({ 'tools/estimates/Targets.sol': source });
  const { contractAddress } = await send({ data: Targets?.bytecode as Hex });
  return {
    ...{ bundlerUrl, estimateMs, send, targets: normalizeAddress(contractAddress ?? '') },
    chain: localChain(url, CHAIN_ID),
    paymasterUrl: `${world.url}/api/v2/${CHAIN_ID}/${apiKey}`,
    seeHead: () => head.refresh(),
    stop: () => world.stop(),
  };
}
