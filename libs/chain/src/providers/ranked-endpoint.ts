import { CallGate, type MonotonicClock } from '@paymaster/turns';
import type { BlockHeader } from './block-header';
import type { ChainEndpoint } from './chain-endpoint';

const DEMOTED_MS = 60_000;
/** The most calls to a provider that may be under way at once, while it does not answer "too many requests". */
const MOST_CALLS = 32;

/** The state of one provider of a chain; for readiness and metrics. */
export interface ProviderStatus {
  readonly host: string;
  readonly state: 'usable' | 'open' | 'wrongChain' | 'disagreeing' | 'lagging';
  /** The newest block that it named, or null before the first answer. */
  readonly headNumber: bigint | null;
  /** Calls since the start. */
  readonly calls: { readonly answered: number; readonly failed: number };
}

/** A provider and its rank: one that lags or was contradicted is asked after the others. */
export class RankedEndpoint {
  /** The newest block it named. */
  head: BlockHeader | null = null;
  isLagging = false;
  readonly gate = new CallGate({ most: MOST_CALLS });
  private demotedUntil = 0;

  constructor(
    readonly endpoint: ChainEndpoint,
    private readonly clock: MonotonicClock,
  ) {}

  /** The other providers contradicted it. */
  demote(): void {
    this.demotedUntil = this.clock() + DEMOTED_MS;
  }

  get isDemoted(): boolean {
    return this.clock() < this.demotedUntil;
  }

  /** Lower is asked earlier. */
  get rank(): number {
    return (this.isDemoted ? 2 : 0) + (this.isLagging ? 1 : 0);
  }

  status(): ProviderStatus {
    const { host, servesAnotherChain, breaker, calls } = this.endpoint;
    const state = servesAnotherChain
      ? 'wrongChain'
      : breaker.isOpen
        ? 'open'
        : this.isDemoted
          ? 'disagreeing'
          : this.isLagging
            ? 'lagging'
            : 'usable';
    return { host, state, headNumber: this.head?.number ?? null, calls: { ...calls } };
  }
}
