import { writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { parseChains } from '@paymaster/chain';
import type { Hex } from '@paymaster/domain';
import type { PerVersion } from '../chain/canonical-contracts';
import { DEMO_NATIVE } from '../chain/demo-assets';
import { FEED_HEARTBEAT_SECONDS, type DemoFeeds } from '../chain/price-feeds';
import { entryPointsOf } from '../chain/world';

export interface LocalChain {
  readonly chainId: number;
  readonly chainRpc: string;
  readonly bundler: string;
  readonly paymasters: PerVersion<Hex>;
  readonly feeds: DemoFeeds;
  /** Path of the token list, which has to be there. */
  readonly tokensFile: string;
}

/** Writes the operator's chains.json of the local world, checked with the loader that the apps use. */
export function writeChainsFile(file: string, chain: LocalChain): void {
  const { chainId, chainRpc, bundler, paymasters, feeds, tokensFile } = chain;
  const content = {
    chains: [
      {
        chainId,
        name: 'local',
        rpcUrls: [chainRpc],
        bundlers: [{ name: 'alto', url: bundler, kind: 'alto' }],
        // Etherspot's SDK and userop read the chain at their bundler's address.
        chainReads: true,
        // The bundler judges every operation that lands here, so it shows whether our own estimates suffice.
        gasEstimates: 'own',
        entryPoints: entryPointsOf(paymasters),
        blockTimeSeconds: 1,
        maxHeadAgeSeconds: 60,
        // anvil calls a block final when it has two on top (--slots-in-an-epoch 1).
        finality: { tag: 'finalized' },
        startBlock: 0,
        ...(JSON.parse(process.env['CHAIN_OPTIONS'] ?? '{}') as object),
        pricing: {
          native: {
            feed: { address: feeds[DEMO_NATIVE.symbol], heartbeatSeconds: FEED_HEARTBEAT_SECONDS },
            apiId: DEMO_NATIVE.apiId,
          },
          // Feed and price API have to agree; while one of them is gone the other is enough.
          minSources: 1,
          // Short, so that what tests do to the sources is noticed soon: sources are read four times in this.
          maxAgeSeconds: 12,
        },
        tokenList: relative(dirname(file), tokensFile),
      },
    ],
  };
  parseChains(structuredClone(content), file);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
