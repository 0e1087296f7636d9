import { writeFileSync } from 'node:fs';
import { parseChains } from '@paymaster/chain';
import { CANONICAL_ENTRY_POINTS, ENTRY_POINT_VERSIONS, type Hex } from '@paymaster/domain';
import type { PerVersion } from '../chain/canonical-contracts';

/** Writes the operator's chains.json of the local world, checked with the loader that the apps use. */
export function writeChainsFile(
  file: string,
  chain: { chainId: number; chainRpc: string; bundler: string; paymasters: PerVersion<Hex> },
): void {
  const content = {
    chains: [
      {
        chainId: chain.chainId,
        name: 'local',
        rpcUrls: [chain.chainRpc],
        bundlerUrl: chain.bundler,
        entryPoints: Object.fromEntries(
          ENTRY_POINT_VERSIONS.map((version) => [
            version,
            { entryPoint: CANONICAL_ENTRY_POINTS[version], paymaster: chain.paymasters[version] },
          ]),
        ),
        blockTimeSeconds: 1,
        maxHeadAgeSeconds: 60,
        // The base fee of an idle local chain falls to a few wei, while wallets keep sending a tip of about 1 gwei.
        bounds: { feeFloorWei: '10000000000' },
      },
    ],
  };
  parseChains(structuredClone(content), file);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
