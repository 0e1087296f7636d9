import {
  CANONICAL_ENTRY_POINTS,
  ENTRY_POINT_VERSIONS,
  normalizeAddress,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { numberToHex } from 'viem';
import type { Anvil } from '../processes/anvil';
import { deployCanonicalContracts, type PerVersion } from './canonical-contracts';
import { startDeployedChain } from './deployed-chain';
import { connectDevChain, type DevChain } from './dev-chain';
import { DEV_KEYS } from './dev-keys';
import { rpc } from './json-rpc';
import { Neighbours } from './neighbours';
import { deployDemoContract, deployPaymasters } from './paymaster-contracts';

/** Where no bundler is. */
const NO_BUNDLER = 'http://127.0.0.1:9';

export interface WorldOptions {
  /** False: nobody else uses the chain until the test sees to it. */
  readonly neighbours?: boolean;
  /** What the funding wallet has on each paymaster, where that is more than it has anyway. */
  readonly fundingWei?: bigint;
}

/** A chain of its own that others use too, with our contracts on it: what every world of tests is built on. */
export interface World {
  readonly anvil: Anvil;
  readonly chain: DevChain;
  readonly paymasters: PerVersion<Address>;
  readonly demo: { readonly address: Address; readonly callData: Hex };
  /**
   * The chain in chains.json.
   *
   * @param changes other fields; by default the node itself is asked, and there is no bundler
   * @param versions of the EntryPoints that are served
   */
  chainsEntry(changes?: object, versions?: readonly EntryPointVersion[]): object;
  stop(): Promise<void>;
}

/** Starts the chain of a world on a free port. */
export async function world({ neighbours = true, fundingWei }: WorldOptions = {}): Promise<World> {
  const anvil = await startDeployedChain();
  try {
    const chain = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
    const settled = neighbours ? await Neighbours.settle(anvil.url) : undefined;
    if (fundingWei) await rpc(anvil.url, 'anvil_setBalance', [chain.account.address, numberToHex(10n * fundingWei)]);
    await deployCanonicalContracts(chain);
    const { signer, fundingWallet } = DEV_KEYS;
    const deployed = await deployPaymasters(chain, {
      ...{ signer: signer.address, fundingWallet: fundingWallet.address },
      ...(fundingWei && { fundingWei }),
    });
    const { address, callData } = await deployDemoContract(chain);
    const paymasters = Object.fromEntries(
      ENTRY_POINT_VERSIONS.map((version) => [version, normalizeAddress(deployed[version])]),
    ) as unknown as PerVersion<Address>;
    return {
      ...{ anvil, chain, paymasters, demo: { address: normalizeAddress(address), callData } },
      chainsEntry: (changes, versions) => ({
        ...{ chainId: chain.chainId, name: 'local', rpcUrls: [anvil.url], bundlerUrl: NO_BUNDLER },
        ...{ entryPoints: entryPointsOf(paymasters, versions), blockTimeSeconds: 1, maxHeadAgeSeconds: 60 },
        ...changes,
      }),
      async stop() {
        settled?.stop();
        await anvil.stop();
      },
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** The EntryPoints in chains.json. */
export function entryPointsOf(
  paymasters: PerVersion<Hex>,
  versions: readonly EntryPointVersion[] = ENTRY_POINT_VERSIONS,
): object {
  return Object.fromEntries(
    versions.map((version) => [
      version,
      { entryPoint: CANONICAL_ENTRY_POINTS[version], paymaster: paymasters[version] },
    ]),
  );
}
