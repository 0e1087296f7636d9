import type { Address } from '@paymaster/domain';
import { LRUCache } from 'lru-cache';
import type { ChainProvider } from '../providers/chain-provider';
import { FreshReads } from '../providers/fresh-reads';
import type { MonotonicClock } from '../providers/monotonic-clock';

/** An account is deployed by its first operation, so "not yet" is only believed for one block or so. */
const NOT_DEPLOYED_MAX_AGE_MS = 1_000;

/**
 * Whether an account has code. Deployed accounts are remembered (they do not vanish in normal life); the others are
 * asked again. One per chain.
 */
export class AccountDeployment {
  private readonly deployed: LRUCache<Address, true>;
  private readonly reads: FreshReads<boolean>;

  constructor(
    private readonly provider: Pick<ChainProvider, 'code'>,
    options: { maxEntries?: number; clock?: MonotonicClock } = {},
  ) {
    const maxEntries = options.maxEntries ?? 50_000;
    this.deployed = new LRUCache({ max: maxEntries });
    this.reads = new FreshReads({ maxAgeMs: NOT_DEPLOYED_MAX_AGE_MS, maxEntries, clock: options.clock });
  }

  /** @throws {DependencyUnavailableError} `chain`, when it cannot be read */
  async isDeployed(account: Address): Promise<boolean> {
    if (this.deployed.get(account)) return true;
    const hasCode = await this.reads.get(account, async () => (await this.provider.code(account)) !== '0x');
    if (hasCode) this.deployed.set(account, true);
    return hasCode;
  }
}
