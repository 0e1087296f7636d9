import { parseQuantity, toQuantity } from '../json-rpc/parse';
import type { ChainConfig } from '../chains/chain-config';
import type { BundlerClient } from '../estimation/bundler-client';
import type { ChainProvider } from '../providers/chain-provider';
import { monotonicClock, type MonotonicClock } from '../providers/monotonic-clock';
import {
  mapTips,
  medianOf,
  medianTips,
  paidTips,
  parseFeeHistory,
  REWARD_PERCENTILES,
  SAME_MARKET,
  type BlockTips,
  type PaidTips,
} from './paid-tips';

/** The number of recent blocks that are read; geth's own suggestion reads as many. */
const WINDOW_BLOCKS = 20;
/** How often the window is read: after each block, but within these bounds. */
const FASTEST_REFRESH_MS = 1_000;
const SLOWEST_REFRESH_MS = 3_000;
/** How often the bundler is asked. */
const BUNDLER_MS = 15_000;
/** A client may have read its fees this long ago, when tips were higher; milliseconds. */
const CLIENT_MS = 30_000;
/** The long memory: this many moments of the last day, the number of blocks of each, and how often it is read. */
const MOMENTS = 12;
const MOMENT_BLOCKS = 5;
const DAY_SECONDS = 86_400;
const MEMORY_MS = 3_600_000;

/** The bound in percent of the paid tip: viem doubles what a node suggests, which is about what the chain paid. */
const CLIENT_PERCENT = 210n;
/**
 * A node's suggestion counts up to this percentage of the median tip that the chain paid. On the OP stack the
 * suggestion is the median tip of one full block plus a tenth, so anybody who fills a block could set it.
 */
const MOST_OF_NODE_PERCENT = 150n;
/** A bundler's price may move this much until its client signs; in percent. */
const BUNDLER_PERCENT = 110n;
/** A bundler that asks for more than this is ignored; in percent of the tip that is allowed without it. */
const MOST_OF_BUNDLER_PERCENT = 150n;
/**
 * A tip up to this part of the price is never refused, because some bundlers ask for a tip even on chains that need
 * none.
 */
const FREE_PERCENT_OF_BASE_FEE = 1n;

export interface FeeMarketOptions {
  readonly clock?: MonotonicClock;
  /** Called with the reason why a reading failed. */
  readonly onFault?: (error: unknown) => void;
}

/** One reading: the tips, its time and its base fee. */
interface Reading extends PaidTips {
  readonly atMs: number;
  readonly baseFeeWei: bigint;
  /** What the nodes suggest to wallets. */
  readonly suggestedWei: bigint;
}

/**
 * The bound on tips. It follows the tips that the chain has lately paid to block producers, and the bundler's prices.
 * All of a tip goes to the bundler. So a bound that follows the base fee would let an attacker who bundles for himself
 * take several times what his transaction costs.
 *
 * It reads in the background, so no request waits. With several providers it takes the median of their answers.
 */
export class FeeMarket {
  /** How often the background reads. */
  readonly refreshMs: number;
  private readonly readings: Reading[] = [];
  private memory: Omit<Reading, 'suggestedWei'> | undefined;
  /** The bundler's prices that clients may still use. */
  private asked: ReadonlyArray<{ readonly atMs: number; readonly tipWei: bigint }> = [];
  private askedAtMs = -Infinity;
  /** The last result, kept until new values are read, because every request needs it twice. */
  private answered: { readonly baseFeeWei: bigint; readonly tipWei: bigint } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private readonly clock: MonotonicClock;
  private readonly onFault: (error: unknown) => void;

  constructor(
    private readonly chain: Pick<ChainConfig, 'bounds' | 'blockTimeSeconds' | 'rollup'>,
    private readonly sources: {
      /** One reader for each URL: each URL is asked separately, and the answers are compared. */
      readonly providers: ReadonlyArray<Pick<ChainProvider, 'ask'>>;
      /** Undefined where no bundler is asked for anything. */
      readonly bundler: Pick<BundlerClient, 'askedPriorityFeeWei'> | undefined;
    },
    { clock = monotonicClock, onFault = () => undefined }: FeeMarketOptions = {},
  ) {
    this.clock = clock;
    this.onFault = onFault;
    const blockMs = 1_000 * chain.blockTimeSeconds;
    this.refreshMs = Math.min(SLOWEST_REFRESH_MS, Math.max(FASTEST_REFRESH_MS, blockMs));
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
    const forget = (): void => void (this.answered = undefined);
    await Promise.all([this.readChain(), this.askBundler()].map((reading) => reading.catch(this.onFault).then(forget)));
  }

  /**
   * The highest tip that is sponsored; wei per gas. Before the first reading it is the tip that is always allowed at
   * this base fee.
   *
   * @param baseFeePerGasWei of the head. Where it is zero the tip is the whole price, and no more than others paid is
   *   allowed
   */
  maxPriorityFeePerGasWei(baseFeePerGasWei: bigint): bigint {
    if (this.answered?.baseFeeWei !== baseFeePerGasWei) {
      this.answered = { baseFeeWei: baseFeePerGasWei, tipWei: this.highestTipWei(baseFeePerGasWei) };
    }
    return this.answered.tipWei;
  }

  private highestTipWei(baseFeePerGasWei: bigint): bigint {
    const { feeFloorWei, maxPriorityFeePerGasWei } = this.chain.bounds;
    const paid = this.lately(baseFeePerGasWei);
    const { cheapWei, middleWei, suggestedWei } = paid ?? { cheapWei: 0n, middleWei: 0n, suggestedWei: 0n };
    const read = max(cheapWei, min(suggestedWei, (middleWei * MOST_OF_NODE_PERCENT) / 100n));
    const ofClients = max((baseFeePerGasWei * FREE_PERCENT_OF_BASE_FEE) / 100n, (read * CLIENT_PERCENT) / 100n);
    if (baseFeePerGasWei === 0n) {
      return min(maxPriorityFeePerGasWei, max(feeFloorWei, min(ofClients, paid?.dearWei ?? 0n)));
    }
    const askedWei = this.asked.map(({ tipWei }) => tipWei).reduce(max, 0n);
    const ofBundler = min((askedWei * BUNDLER_PERCENT) / 100n, (ofClients * MOST_OF_BUNDLER_PERCENT) / 100n);
    return min(maxPriorityFeePerGasWei, max(feeFloorWei, max(ofClients, ofBundler)));
  }

  /** The tip to assume for a client that names no fees yet; wei per gas. */
  usualPriorityFeePerGasWei(): bigint {
    return this.readings.at(-1)?.cheapWei ?? 0n;
  }

  /**
   * The tip to name to a client that asks for fees: what the bundler asks, if that is more than the usual tip; wei per
   * gas. It may be above the bound.
   */
  suggestedPriorityFeePerGasWei(): bigint {
    return max(this.usualPriorityFeePerGasWei(), this.asked.at(-1)?.tipWei ?? 0n);
  }

  /** The highest reading that clients may still use. */
  private lately(baseFeeWei: bigint): (PaidTips & Pick<Reading, 'suggestedWei'>) | undefined {
    const readings = this.readings.filter((reading) => reading.baseFeeWei <= SAME_MARKET * baseFeeWei);
    if (readings.length === 0) return undefined;
    const highest = (tip: keyof PaidTips | 'suggestedWei') => readings.map((each) => each[tip]).reduce(max);
    return { ...mapTips(highest), suggestedWei: highest('suggestedWei') };
  }

  private async readChain(): Promise<void> {
    const atMs = this.clock();
    if (!this.memory || atMs - this.memory.atMs > MEMORY_MS) await this.remember(atMs);
    const [windows, suggestedWei] = await Promise.all([this.ofProviders(WINDOW_BLOCKS, 'latest'), this.suggested()]);
    const baseFeeWei = medianOf(windows.map((blocks) => blocks.at(-1)?.baseFeeWei ?? 0n));
    const tips = medianTips(windows.flatMap((blocks) => paidTips(blocks, this.memoryAt(baseFeeWei)) ?? []));
    if (tips) this.readings.push({ ...tips, suggestedWei, atMs, baseFeeWei });
    while (this.readings.length > 1 && atMs - (this.readings[0]?.atMs ?? atMs) > CLIENT_MS) this.readings.shift();
  }

  /** The memory that fits this base fee: tips that were paid at a higher base fee say little about it. */
  private memoryAt(baseFeeWei: bigint): PaidTips | undefined {
    const { memory } = this;
    if (!memory || memory.baseFeeWei <= baseFeeWei) return memory;
    const scaled = (tipWei: bigint): bigint => (tipWei * baseFeeWei) / memory.baseFeeWei;
    return mapTips((tip) => scaled(memory[tip]));
  }

  /** Moments of the last day for which nodes have data. */
  private async remember(atMs: number): Promise<void> {
    const newest = medianOf(
      await this.ask((provider) => provider.ask('eth_blockNumber', [], (value) => parseQuantity(value, 'block'))),
    );
    const span = min(newest, BigInt(Math.ceil(DAY_SECONDS / this.chain.blockTimeSeconds)));
    const moments: Array<NonNullable<typeof this.memory>> = [];
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

  /** The nodes' suggestions; undefined if they do not have the method. */
  private async suggested(): Promise<bigint> {
    if (this.chain.rollup !== 'opStack') return 0n;
    const parse = (value: unknown) => parseQuantity(value, 'tip');
    return this.ask((provider) => provider.ask('eth_maxPriorityFeePerGas', [], parse)).then(medianOf, () => 0n);
  }

  /** The answers of the providers that answer. @throws when no provider does */
  private async ask<T>(question: (provider: Pick<ChainProvider, 'ask'>) => Promise<T>): Promise<readonly T[]> {
    const answers = await Promise.allSettled(this.sources.providers.map(question));
    const said = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    const [first] = answers;
    if (said.length === 0 && first?.status === 'rejected') throw first.reason;
    return said;
  }

  private async askBundler(): Promise<void> {
    const { bundler } = this.sources;
    const atMs = this.clock();
    if (!bundler || atMs - this.askedAtMs < BUNDLER_MS) return;
    this.askedAtMs = atMs;
    const tipWei = (await bundler.askedPriorityFeeWei()) ?? 0n;
    this.asked = [...this.asked.filter((earlier) => atMs - earlier.atMs <= CLIENT_MS), { atMs, tipWei }];
  }

  private async refreshAndSchedule(): Promise<void> {
    await this.refresh();
    if (!this.running) return;
    this.timer = setTimeout(() => void this.refreshAndSchedule(), this.refreshMs);
    this.timer.unref();
  }
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
