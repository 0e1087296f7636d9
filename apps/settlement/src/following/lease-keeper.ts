import type { Lease, SettlementBooks } from '@paymaster/ledger/settlement';

export interface LeaseKeeperOptions {
  readonly books: Pick<SettlementBooks, 'acquireLease' | 'releaseLease'>;
  /** Whose lease it is: a chain's id, or a number that no chain has. */
  readonly chainId: number;
  /** Unique per process: a process that started again is somebody else. */
  readonly holder: string;
  readonly ttlMs: number;
}

/** Gets, renews and gives back one lease. Whether it still stands, only the database knows. */
export class LeaseKeeper {
  private lease: Lease | undefined;

  constructor(private readonly options: LeaseKeeperOptions) {}

  /** The lease as it was when last asked for. */
  get current(): Lease | undefined {
    return this.lease;
  }

  /** The lease for another `ttlMs`; undefined while somebody else has it. */
  async hold(): Promise<Lease | undefined> {
    const { books, chainId, holder, ttlMs } = this.options;
    this.lease = undefined;
    this.lease = await books.acquireLease({ chainId, holder, ttlMs });
    return this.lease;
  }

  /** Somebody else took it: nothing to give back. */
  lost(): void {
    this.lease = undefined;
  }

  /** Lets others in at once. */
  async release(): Promise<void> {
    const { books, holder } = this.options;
    const { lease } = this;
    this.lease = undefined;
    if (lease) await books.releaseLease(lease, holder);
  }
}
