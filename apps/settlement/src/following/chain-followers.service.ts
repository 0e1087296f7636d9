import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { ServedContracts, type ContractNotice } from '@paymaster/chain';
import type { BlockHeader, SettlementBooks } from '@paymaster/ledger/settlement';
import { TRACER, type HealthCheck, type HealthReport } from '@paymaster/nest-kit';
import type { Tracer } from '@paymaster/tracing';
import { LONGEST_PAUSE_MS, SettlementConfig } from '../config/settlement.config';
import { BOOKS } from '../database/books.token';
import { LedgerMetrics } from '../metrics/ledger-metrics';
import { ChainFollower, type FollowerState, type Step } from './chain-follower';
import { FOLLOWED_CHAINS, LEASE_HOLDER, type FollowedChain } from './followed-chain';
import { LeaseKeeper } from './lease-keeper';
import { MAX_RANGE_BLOCKS, RangeSize } from './range-size';
import { repeat } from './repeat';

/** A chain counts as not followed when its last step is older than this; longer than any pause; milliseconds. */
const STALE_MS = 2 * LONGEST_PAUSE_MS;
/** How often old rows are removed; milliseconds. */
const PRUNE_INTERVAL_MS = 600_000;
/** How long nothing but the head is read of a chain that mines no block; milliseconds. */
const STILL_MS = 2_000;
/** While steps fail one after the other, one failure in this many is logged. */
const FAULTS_PER_LINE = 20;

/** The state of a chain at this process's last step. */
interface ChainView {
  state: FollowerState | 'starting';
  caughtUp: boolean;
  lookedAtMs: number;
  haltedReason: string | null;
  isQuiet: boolean;
}

/** Follows every chain, each in a loop of its own, so that a fault of one chain does not affect the others. */
@Injectable()
export class ChainFollowers implements HealthCheck, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly name = 'chains';
  /**
   * The process is ready while it has a fresh view of at least one chain, as leader or standby. For the other chains
   * there are alerts.
   */
  readonly essential = true;
  private readonly logger = new Logger(ChainFollowers.name);
  private readonly stopping = new AbortController();
  private readonly views = new Map<number, ChainView>();
  private loops: Promise<void>[] = [];

  constructor(
    private readonly config: SettlementConfig,
    @Inject(BOOKS) private readonly books: SettlementBooks,
    @Inject(FOLLOWED_CHAINS) private readonly chains: readonly FollowedChain[],
    @Inject(LEASE_HOLDER) private readonly holder: string,
    private readonly metrics: LedgerMetrics,
    @Inject(TRACER) private readonly tracer: Tracer,
  ) {}

  onApplicationBootstrap(): void {
    this.loops = this.chains.map((chain) => this.follow(chain));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.loops);
  }

  /** Whether this process settles the chain and has caught up with it. */
  leads(chainId: number): boolean {
    const view = this.views.get(chainId);
    return view?.state === 'leader' && view.caughtUp;
  }

  check(): HealthReport {
    const seen = [...this.views].map(([chainId, view]) => ({ chainId, view, problem: problemOf(view) }));
    const problems = seen.filter(({ problem }) => problem).map(({ chainId, problem }) => `chain ${chainId} ${problem}`);
    const roles = seen.map(({ chainId, view }) => `${chainId}: ${view.state}`).join(', ');
    if (problems.length === 0) return { status: 'up', detail: roles };
    const hasFreshView = seen.some(({ view }) => view.caughtUp && !isStale(view));
    return { status: hasFreshView ? 'degraded' : 'down', detail: problems.join('; ') };
  }

  private async follow({ config: chain, source }: FollowedChain): Promise<void> {
    const { chainId } = chain;
    const view: ChainView = {
      state: 'starting',
      caughtUp: false,
      lookedAtMs: Date.now(),
      haltedReason: null,
      isQuiet: false,
    };
    this.views.set(chainId, view);
    const ttlMs = this.config.leaseTtlSeconds * 1_000;
    const lease = new LeaseKeeper({ books: this.books, chainId, holder: this.holder, ttlMs });
    const follower = new ChainFollower({
      chainId,
      books: this.books,
      source,
      lease,
      events: this.eventsOf(chainId),
      startBlock: chain.startBlock,
      windowBlocks: this.config.reorgWindowBlocks,
      skipsQuietBlocks: this.config.skipQuietBlocks,
      contracts: new ServedContracts(chain.entryPoints).paymasters,
      range: new RangeSize({ most: MAX_RANGE_BLOCKS, targetMs: ttlMs / 3 }),
      stillMs: Math.min(STILL_MS, ttlMs / 3),
    });
    let prunedAtMs = 0;
    await repeat({
      step: async () => {
        const span = this.tracer.begin('follow chain');
        span.set('chain.id', chainId);
        const step = await span.until(follower.step(span));
        this.saw(chainId, step);
        if (!step.hasMore && Date.now() - prunedAtMs > PRUNE_INTERVAL_MS) {
          await follower.prune(this.config.outboxRetentionDays);
          prunedAtMs = Date.now();
        }
        return step.hasMore;
      },
      pauseMs: () => (view.isQuiet ? this.config.quietPollIntervalMs : this.config.pollIntervalMs),
      onFault: (error, failuresInARow) => {
        this.metrics.faults.inc({ chain: String(chainId) });
        if (failuresInARow % FAULTS_PER_LINE === 1) this.logger.warn({ chainId, ...describe(error) }, 'a look failed');
      },
      signal: this.stopping.signal,
    });
    await follower.stop().catch(() => undefined);
  }

  private saw(chainId: number, { state, cursor, nodeHead, isUpToDate, hasMore, isQuiet = false }: Step): void {
    const view = this.views.get(chainId);
    if (!view) return;
    if (view.state !== state)
      this.logger.log({ chainId, from: view.state, to: state }, 'this process has another role');
    view.state = state;
    view.lookedAtMs = Date.now();
    view.isQuiet = isQuiet;
    view.haltedReason = cursor?.haltedReason ?? null;
    // A standby only watches, and a halted chain waits for its operator. So both count as caught up.
    if (cursor && !hasMore) view.caughtUp = true;

    const chain = { chain: String(chainId) };
    this.metrics.leader.set(chain, state === 'leader' ? 1 : 0);
    this.metrics.halted.set(chain, state === 'halted' ? 1 : 0);
    if (nodeHead) this.metrics.nodeHead.set(chain, Number(nodeHead.number));
    if (!cursor) return;
    this.metrics.head.set(chain, Number(cursor.head.number));
    this.metrics.final.set(chain, Number(cursor.final.number));
    this.metrics.headTime.set(chain, cursor.head.timeSeconds);
    const headAgeSeconds = Math.max(0, Date.now() / 1_000 - cursor.head.timeSeconds);
    // A chain that stands still is not behind.
    this.metrics.lag.set(chain, isUpToDate ? 0 : headAgeSeconds);
  }

  private eventsOf(chainId: number) {
    const chain = { chain: String(chainId) };
    return {
      reorganized: (reorg: { undoneBlocks: number; toNumber: bigint }) => {
        this.metrics.reorgs.inc(chain);
        this.metrics.undoneBlocks.inc(chain, reorg.undoneBlocks);
        this.logger.warn({ chainId, ...reorg, toNumber: String(reorg.toNumber) }, 'blocks were undone');
      },
      missed: ({ aboveNumber }: { aboveNumber: bigint }) =>
        this.logger.warn(
          { chainId, aboveNumber: String(aboveNumber) },
          'blocks were left out wrongly, or could not be confirmed; they are read again',
        ),
      halted: (reason: string) =>
        this.logger.error(
          { chainId, reason },
          'ALARM: the chain is halted; nothing is reserved on it until `ledger resume`',
        ),
      noticed: ({ kind, ...notice }: ContractNotice, { number, timeSeconds }: BlockHeader) => {
        this.metrics.saw({ chain: String(chainId), event: kind, timeSeconds });
        const texts = Object.entries(notice).map(([name, value]) => [name, String(value)]);
        this.logger.warn({ chainId, block: String(number), event: kind, ...Object.fromEntries(texts) }, NOTICES[kind]);
      },
      requestsUnread: (error: unknown) =>
        this.logger.debug({ chainId, ...describe(error) }, 'withdrawal requests could not be read'),
      leaseLost: () => this.logger.warn({ chainId }, 'another process settles this chain now'),
    };
  }
}

/** What the event means for owners of wallets. */
const NOTICES: Readonly<Record<ContractNotice['kind'], string>> = {
  signerAdded: 'a signer was added to a paymaster contract; it can spend every deposit once it counts',
  unsettledStated: "a contract's owner stated what is left of unsettled precharges; compare it with the chain",
};

function isStale({ lookedAtMs }: ChainView): boolean {
  return Date.now() - lookedAtMs > STALE_MS;
}

function problemOf(view: ChainView): string | undefined {
  if (view.state === 'halted') return `is halted: ${view.haltedReason}`;
  if (isStale(view)) return 'cannot be followed';
  return view.caughtUp ? undefined : 'is being caught up with';
}

function describe(error: unknown): { problem: string; cause?: string } {
  if (!(error instanceof Error)) return { problem: String(error) };
  const { cause } = error;
  return { problem: error.message, ...(cause instanceof Error && { cause: cause.message }) };
}
