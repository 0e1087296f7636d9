import { DependencyUnavailableError } from '@paymaster/domain';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import type { ChainConfig } from '../chains/chain-config';
import { assertPlausibleBlock, WALL_CLOCK_SKEW_SECONDS } from './assert-plausible-block';
import type { Block } from './block';
import type { ChainProvider } from './chain-provider';

export interface ChainHeadOptions {
  /** How often the head is read; default 1 s. */
  readonly refreshMs?: number;
  readonly clock?: MonotonicClock;
  /** Wall clock in unix seconds. */
  readonly wallClockSeconds?: () => number;
  /** Called with the reason why a refresh failed. */
  readonly onFault?: (error: unknown) => void;
}

/**
 * The newest block of one chain, kept in memory and read in the background, so that a request never waits for it.
 *
 * Age is measured without the pod's clock, which may be minutes wrong: it is the monotonic time since the head was last
 * seen to advance. So a chain that stands still is noticed with any clock. Only the first head after a start has no
 * such history. There the wall clock counts as far as it is certainly right, that is less the skew it may have (10
 * minutes). So a chain that halted just before a pod starts is noticed at most `maxHeadAgeSeconds` after the start.
 *
 * A node that lags behind or answers an older block changes nothing: time on chain never goes backwards here. For the
 * same reason a block that cannot be true is refused, see {@link assertPlausibleBlock}: it would stay the head for
 * ever.
 */
export class ChainHead {
  private head: Block | undefined;
  private pendingTimestampSeconds = 0;
  private advancedAtMs = 0;
  /** Age of the first head when it was seen, by the wall clock less its skew. */
  private ageAtStartSeconds = 0;
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private readonly refreshMs: number;
  private readonly clock: MonotonicClock;
  private readonly wallClockSeconds: () => number;
  private readonly onFault: (error: unknown) => void;

  constructor(
    private readonly chain: Pick<ChainConfig, 'chainId' | 'blockTimeSeconds' | 'maxHeadAgeSeconds'>,
    private readonly provider: Pick<ChainProvider, 'block'>,
    options: ChainHeadOptions = {},
  ) {
    this.refreshMs = options.refreshMs ?? 1_000;
    this.clock = options.clock ?? monotonicClock;
    this.wallClockSeconds = options.wallClockSeconds ?? (() => Date.now() / 1_000);
    this.onFault = options.onFault ?? (() => undefined);
  }

  /** Reads the head once, then keeps it fresh until {@link stop}. Never rejects: readiness reports faults. */
  async start(): Promise<void> {
    if (this.running) return;
    this.running = true;
    await this.refreshAndSchedule();
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.timer);
  }

  /**
   * Unix seconds on chain: the head's time, or the pending block's where the head is older than two block times.
   *
   * @throws {DependencyUnavailableError} `chain`, before a head was seen
   */
  nowSeconds(): number {
    return Math.max(this.latest().timestampSeconds, this.pendingTimestampSeconds);
  }

  /** Wei per gas, of the head; the reference for fee caps. Throws like {@link nowSeconds}. */
  baseFeePerGasWei(): bigint {
    return this.latest().baseFeePerGasWei;
  }

  /** The newest block seen. Throws like {@link nowSeconds}. */
  latest(): Block {
    if (!this.head) throw new DependencyUnavailableError('chain', `chain ${this.chain.chainId} has not been read yet`);
    return this.head;
  }

  /** How long the head has stood still, in seconds; infinite before one was seen. */
  ageSeconds(): number {
    if (!this.head) return Infinity;
    return this.ageAtStartSeconds + (this.clock() - this.advancedAtMs) / 1_000;
  }

  /**
   * Call it before every signature.
   *
   * @throws {DependencyUnavailableError} `chain`, reason CHAIN_HALTED, when the head is older than the chain's bound
   */
  assertNotHalted(): void {
    this.latest();
    if (this.ageSeconds() <= this.chain.maxHeadAgeSeconds) return;
    throw new DependencyUnavailableError(
      'chain',
      `chain ${this.chain.chainId} has had no new block for more than ${this.chain.maxHeadAgeSeconds} s`,
      { reason: 'CHAIN_HALTED', retryAfterSeconds: 10 },
    );
  }

  /** Reads the head now. The background does this; call it only where waiting is right. */
  async refresh(): Promise<void> {
    this.accept(await this.read('latest'));
    if (!this.looksOld()) return;
    const pending = await this.read('pending');
    this.pendingTimestampSeconds = Math.max(this.pendingTimestampSeconds, pending.timestampSeconds);
  }

  private read(tag: 'latest' | 'pending'): Promise<Block> {
    return this.provider.block(tag, (block) =>
      assertPlausibleBlock({
        block,
        wallClockSeconds: this.wallClockSeconds(),
        blockTimeSeconds: this.chain.blockTimeSeconds,
        ...(this.head && {
          since: { number: this.head.number, elapsedSeconds: (this.clock() - this.advancedAtMs) / 1_000 },
        }),
      }),
    );
  }

  private accept(block: Block): void {
    if (!this.head) {
      const oldest = this.wallClockSeconds() - block.timestampSeconds - WALL_CLOCK_SKEW_SECONDS;
      this.ageAtStartSeconds = Math.max(0, oldest);
    } else if (block.number <= this.head.number || block.timestampSeconds < this.head.timestampSeconds) {
      return;
    } else {
      this.ageAtStartSeconds = 0;
    }
    this.head = block;
    this.advancedAtMs = this.clock();
  }

  /** A wrong wall clock only costs one more read here, because the time comes from the pending block. */
  private looksOld(): boolean {
    const byWallClock = this.wallClockSeconds() - this.latest().timestampSeconds;
    return Math.max(this.ageSeconds(), byWallClock) > 2 * this.chain.blockTimeSeconds;
  }

  private async refreshAndSchedule(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      this.onFault(error);
    }
    if (!this.running) return;
    this.timer = setTimeout(() => void this.refreshAndSchedule(), this.refreshMs);
    this.timer.unref();
  }
}
