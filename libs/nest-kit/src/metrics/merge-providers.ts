import type { ProviderUse, ProviderView } from './common-metrics';

/** A provider as one part of a process sees it. Several parts may each have their own view of one provider. */
export interface ProviderStatusLike {
  readonly host: string;
  readonly state: string;
  readonly headNumber?: bigint | null;
  readonly calls: { readonly answered: number; readonly failed: number };
}

/**
 * Merges the views of each provider, per chain and use. If two URLs have the same host, the provider is up if both URLs
 * are up, and their calls are added up.
 */
export function mergeProviders(
  { chainId, use }: { readonly chainId: number; readonly use: ProviderUse },
  statuses: readonly ProviderStatusLike[],
): ProviderView[] {
  const heads = statuses.flatMap(({ headNumber }) => headNumber ?? []);
  const newest = heads.reduce((a, b) => (a > b ? a : b), 0n);
  const byHost = new Map<string, ProviderView>();
  for (const { host, state, headNumber, calls } of statuses) {
    const known = byHost.get(host);
    const lagBlocks = headNumber == null ? undefined : Number(newest - headNumber);
    byHost.set(host, {
      ...{ chainId, use, host },
      isUp: (known?.isUp ?? true) && state !== 'open' && state !== 'wrongChain',
      lagBlocks: lagBlocks === undefined ? known?.lagBlocks : Math.max(lagBlocks, known?.lagBlocks ?? 0),
      calls: {
        answered: calls.answered + (known?.calls.answered ?? 0),
        failed: calls.failed + (known?.calls.failed ?? 0),
      },
    });
  }
  return [...byHost.values()];
}
