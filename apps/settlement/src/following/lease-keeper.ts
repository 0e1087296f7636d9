import type { Lease, SettlementBooks } from '@paymaster/ledger/settlement';

export interface LeaseKeeperOptions {
  readonly books: Pick<SettlementBooks, 'acquireLease' | 'releaseLease'>;
  /** What the lease is for: a chain's id, or a number that no chain has. */
  readonly chainId: number;
  /** Unique for each start of a process. */
  readonly holder: string;
  readonly ttlMs: number;
}

/** Takes, renews and releases one lease. Only the database knows whether the lease still holds. */
export class LeaseKeeper {
  private lease: Lease | undefined;

  constructor(private readonly options: LeaseKeeperOptions) {}

  /** The lease at the last request for it. */
  get current(): Lease | undefined {
    return this.lease;
  }

  /** Takes or renews the lease for another `ttlMs`. @returns undefined while another process has it */
  async hold(): Promise<Lease | undefined> {
    const { books, chainId, holder, ttlMs } = this.options;
    this.lease = undefined;
    this.lease = await books.acquireLease({ chainId, holder, ttlMs });
    return this.lease;
  }

  /** Call it when another process took the lease, so that {@link release} has nothing to release. */
  lost(): void {
    this.lease = undefined;
  }

  /** Releases the lease, so that another process can take it at once. */
  async release(): Promise<void> {
    const { books, holder } = this.options;
    const { lease } = this;
    this.lease = undefined;
    if (lease) await books.releaseLease(lease, holder);
  }
}
