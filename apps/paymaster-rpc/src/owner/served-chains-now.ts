import { DependencyUnavailableError } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import type { GatewayChain } from '@paymaster/messaging';
import { mergeProviders } from '@paymaster/nest-kit';
import type { OpenedSigners } from '@paymaster/signers';
import type { ServedChain } from '../chains/served-chain';
import type { ServedChains } from '../chains/served-chains';

interface Parts {
  readonly chains: Pick<ServedChains, 'all'>;
  readonly signers: Pick<OpenedSigners['set'], 'report'>;
  readonly ledger: Pick<Ledger, 'cursor'>;
}

/** What this process has in memory of each chain that it serves, and how far settlement's books go. */
export async function servedChainsNow({ chains, signers, ledger }: Parts): Promise<readonly GatewayChain[]> {
  return Promise.all(
    [...chains.all()].map(async (chain) => ({
      chainId: chain.config.chainId,
      head: headOf(chain),
      providers: providersOf(chain),
      signers: signers.report().map(({ name, address, isUp, downBecause }) => ({
        ...{ name, address, isUp, downBecause: downBecause ?? null },
        contracts: chain.signer.standingOf(address),
      })),
      books: await booksOf(chain, ledger),
    })),
  );
}

function headOf({ head }: ServedChain): GatewayChain['head'] {
  const ageSeconds = head.ageSeconds();
  return ageSeconds === Infinity ? null : { blockNumber: head.latest().number.toString(), ageSeconds };
}

function providersOf(chain: ServedChain): GatewayChain['providers'] {
  const { chainId } = chain.config;
  return chain.providers().flatMap(({ use, statuses }) =>
    mergeProviders({ chainId, use }, statuses).map(({ host, isUp, lagBlocks, calls }) => ({
      ...{ host, use, isUp, lagBlocks: lagBlocks ?? null, calls },
    })),
  );
}

async function booksOf(
  { config: { chainId }, head }: ServedChain,
  ledger: Parts['ledger'],
): Promise<GatewayChain['books']> {
  try {
    const cursor = await ledger.cursor(chainId);
    if (!cursor) return null;
    const { headTimeSeconds, haltedReason } = cursor;
    const isRead = head.ageSeconds() !== Infinity;
    return { lagSeconds: isRead ? Math.max(0, head.latest().timestampSeconds - headTimeSeconds) : null, haltedReason };
  } catch (error) {
    if (error instanceof DependencyUnavailableError) return null;
    throw error;
  }
}
