import { parseQuantity, toQuantity } from '../json-rpc/parse';
import type { ChainConfig } from '../chains/chain-config';
import type { BundlerClient } from '../estimation/bundler-client';
import type { ChainProvider } from '../providers/chain-provider';
import { monotonicClock, type MonotonicClock } from '../providers/monotonic-clock';
import {
  medianOf,
  medianTips,
  paidTips,
  parseFeeHistory,
  REWARD_PERCENTILES,
  SAME_MARKET,
  type BlockTips,
  type PaidTips,
} from './paid-tips';

/** Blocks that "lately" means; what geth's own suggestion looks at. */
const WINDOW_BLOCKS = 20;
/** How often the window is read. */
const REFRESH_MS = 3_000;
/** How often the bundler is asked. */
const BUNDLER_MS = 15_000;
/** A client may have read its fees this long ago, when tips were higher. */
const CLIENT_MS = 30_000;
/** The long memory: as many moments of the last day, each of some blocks, read as often. */
const MOMENTS = 12;
const MOMENT_BLOCKS = 5;
const DAY_SECONDS = 86_400;
const MEMORY_MS = 3_600_000;

/** viem doubles what the node suggests, and a node's suggestion is about what the chain paid. In percent. */
const CLIENT_PERCENT = 210n;
/** What a bundler asks may have moved until its client signs; in percent. */
const BUNDLER_PERCENT = 110n;
/** A bundler that asks for more than this is not believed; in percent of what clients may tip anyway. */
const MOST_OF_BUNDLER_PERCENT = 150n;
/** A tip that hardly adds to the price is never refused: some bundlers ask for one where the chain pays none. */
const FREE_PERCENT_OF_BASE_FEE = 1n;

export interface FeeMarketOptions {
  readonly clock?: MonotonicClock;
  /** Hears why a reading failed. */
  readonly onFault?: (error: unknown) => void;
}

/** What was read, when, and at which base fee. */
interface Reading extends PaidTips {
  readonly atMs: number;
  readonly baseFeeWei: bigint;
}

/**
 * What the chain has lately paid to those who make its blocks, and what the bundler asks: the bound on tips. All of a
 * tip goes to the bundler, so a bound that follows the base fee would let an attacker who bundles for himself take
 * several times what his transaction costs.
 *
 * Read in the background; a request waits for nothing. Of several providers the median counts.
 */
export class FeeMarket {
  private readonly readings: Reading[] = [];
  private memory: Reading | undefined;
  private askedWei: bigint | undefined;
  private askedAtMs = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private readonly clock: MonotonicClock;
  private readonly onFault: (error: unknown) => void;

  constructor(
    private readonly chain: Pick<ChainConfig, 'bounds' | 'blockTimeSeconds'>,
    private readonly sources: {
      /** One for each URL: they are asked apart and compared. */
      readonly providers: ReadonlyArray<Pick<ChainProvider, 'ask'>>;
      readonly bundler: Pick<BundlerClient, 'askedPriorityFeeWei'>;
    },
    { clock = monotonicClock, onFault = () => undefined }: FeeMarketOptions = {},
  ) {
    this.clock = clock;
    this.onFault = onFault;
  }

  /** Reads now, then keeps reading until {@link stop}. Never rejects. */
  async start(): Promise<void> {
    if (this.running) return;
    this.running = true;
    await this.refreshAndSchedule();
  }

  stop(): void {
    this.running = false;
    clearTimeout(this.timer);
  }

  /** Reads the chain and asks the bundler now. The background does this; call it only where waiting is right. */
  async refresh(): Promise<void> {
    await Promise.all([this.readChain(), this.askBundler()].map((reading) => reading.catch(this.onFault)));
  }

  /**
   * The highest tip that is sponsored; wei per gas. Where nothing could be read yet, what is free beside the base fee.
   *
   * @param baseFeePerGasWei of the head. Where it is zero the tip is the whole price, and no more than others paid is
   *   allowed
   */
  maxPriorityFeePerGasWei(baseFeePerGasWei: bigint): bigint {
    const { feeFloorWei, maxPriorityFeePerGasWei } = this.chain.bounds;
    const paid = this.lately(baseFeePerGasWei);
    const ofClients = max(
      (baseFeePerGasWei * FREE_PERCENT_OF_BASE_FEE) / 100n,
      ((paid?.cheapWei ?? 0n) * CLIENT_PERCENT) / 100n,
    );
    if (baseFeePerGasWei === 0n) {
      return min(maxPriorityFeePerGasWei, max(feeFloorWei, min(ofClients, paid?.dearWei ?? 0n)));
    }
    const ofBundler = min(
      ((this.askedWei ?? 0n) * BUNDLER_PERCENT) / 100n,
      (ofClients * MOST_OF_BUNDLER_PERCENT) / 100n,
    );
    return min(maxPriorityFeePerGasWei, max(feeFloorWei, max(ofClients, ofBundler)));
  }

  /** What a client that names no fees yet may be taken to tip; wei per gas. */
  usualPriorityFeePerGasWei(): bigint {
    return this.readings.at(-1)?.cheapWei ?? 0n;
  }

  /** The highest of what was read while a client may have read it. */
  private lately(baseFeeWei: bigint): PaidTips | undefined {
    const [first, ...others] = this.readings.filter((reading) => reading.baseFeeWei <= SAME_MARKET * baseFeeWei);
    if (!first) return undefined;
    return others.reduce<PaidTips>(
      (most, each) => ({ cheapWei: max(most.cheapWei, each.cheapWei), dearWei: max(most.dearWei, each.dearWei) }),
      first,
    );
  }

  private async readChain(): Promise<void> {
    const atMs = this.clock();
    if (!this.memory || atMs - this.memory.atMs > MEMORY_MS) await this.remember(atMs);
    const windows = await this.ofProviders(WINDOW_BLOCKS, 'latest');
    const baseFeeWei = medianOf(windows.map((blocks) => blocks.at(-1)?.baseFeeWei ?? 0n));
    const tips = medianTips(windows.flatMap((blocks) => paidTips(blocks, this.memoryAt(baseFeeWei)) ?? []));
    if (tips) this.readings.push({ ...tips, atMs, baseFeeWei });
    while (this.readings.length > 1 && atMs - (this.readings[0]?.atMs ?? atMs) > CLIENT_MS) this.readings.shift();
  }

  /** What the memory means at this base fee: tips that were paid beside a higher one say little of it. */
  private memoryAt(baseFeeWei: bigint): PaidTips | undefined {
    const { memory } = this;
    if (!memory || memory.baseFeeWei <= baseFeeWei) return memory;
    const scaled = (tipWei: bigint): bigint => (tipWei * baseFeeWei) / memory.baseFeeWei;
    return { cheapWei: scaled(memory.cheapWei), dearWei: scaled(memory.dearWei) };
  }

  /** Moments of the last day, as far as the nodes tell. */
  private async remember(atMs: number): Promise<void> {
    const newest = medianOf(
      await this.ask((provider) => provider.ask('eth_blockNumber', [], (value) => parseQuantity(value, 'block'))),
    );
    const span = min(newest, BigInt(Math.ceil(DAY_SECONDS / this.chain.blockTimeSeconds)));
    const moments: Reading[] = [];
    for (let moment = 0n; moment < BigInt(MOMENTS); moment++) {
      const block = newest - (span * moment) / BigInt(MOMENTS);
      const windows = await this.ofProviders(MOMENT_BLOCKS, toQuantity(block)).catch(() => []);
      const tips = medianTips(windows.flatMap((blocks) => paidTips(blocks) ?? []));
      const baseFeeWei = medianOf(windows.map((blocks) => blocks.at(-1)?.baseFeeWei ?? 0n));
      if (tips) moments.push({ ...tips, atMs, baseFeeWei });
    }
    const tips = medianTips(moments);
    if (tips) this.memory = { ...tips, atMs, baseFeeWei: medianOf(moments.map(({ baseFeeWei }) => baseFeeWei)) };
  }

  private ofProviders(blocks: number, newest: string): Promise<ReadonlyArray<readonly BlockTips[]>> {
    const params = [toQuantity(blocks), newest, REWARD_PERCENTILES];
    return this.ask((provider) => provider.ask('eth_feeHistory', params, parseFeeHistory));
  }

  /** What the providers that answer say. @throws when no provider does */
  private async ask<T>(question: (provider: Pick<ChainProvider, 'ask'>) => Promise<T>): Promise<readonly T[]> {
    const answers = await Promise.allSettled(this.sources.providers.map(question));
    const said = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const [first] = answers;
    if (said.length === 0 && first?.status === 'rejected') throw first.reason;
    return said;
  }

  private async askBundler(): Promise<void> {
    if (this.clock() - this.askedAtMs < BUNDLER_MS) return;
    this.askedAtMs = this.clock();
    this.askedWei = await this.sources.bundler.askedPriorityFeeWei();
  }

  private async refreshAndSchedule(): Promise<void> {
    await this.refresh();
    if (!this.running) return;
    this.timer = setTimeout(() => void this.refreshAndSchedule(), REFRESH_MS);
    this.timer.unref();
  }
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
