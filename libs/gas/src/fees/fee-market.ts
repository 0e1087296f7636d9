import { max } from '@paymaster/domain';
import { parseQuantity, parseRecord, toQuantity, type ChainConfig, type ChainProvider } from '@paymaster/chain';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import type { BundlerClient } from '../estimation/bundler-client';
import { medianOf, paidTip, parseFeeHistory, REWARD_PERCENTILES } from './paid-tips';

/** The number of recent blocks that are read; geth's own suggestion reads as many. */
const WINDOW_BLOCKS = 20;
/** How often the window is read: after each block, but within these bounds. */
const FASTEST_REFRESH_MS = 1_000;
const SLOWEST_REFRESH_MS = 3_000;
/** How often the bundler is asked. */
const BUNDLER_MS = 15_000;
/** A client may have read its fees this long ago, when tips were higher: a person has read and signed since; milliseconds. */
const CLIENT_MS = 120_000;

/** The bound in percent of what the chain paid or its nodes suggest: viem doubles what a node suggests. */
const CLIENT_PERCENT = 210n;
/** A tip up to this part of the base fee is never refused: some bundlers ask for one even on chains that need none. */
const FREE_PERCENT_OF_BASE_FEE = 1n;
/** A bundler's price may move this much until its client signs; in percent. */
const BUNDLER_PERCENT = 110n;

export interface FeeMarketOptions {
  readonly clock?: MonotonicClock;
  /** Called with the reason why a reading failed. */
  readonly onFault?: (error: unknown) => void;
}

/** One reading; wei per gas. */
interface Reading {
  readonly atMs: number;
  /** What the chain lately paid to those who make its blocks. */
  readonly paidWei: bigint;
  /** What its nodes suggest to wallets. */
  readonly suggestedWei: bigint;
}

/** Clients that ask for high tips cause at most one reading in this time; milliseconds. */
const AGAIN_MS = 1_000;

type Provider = Pick<ChainProvider, 'ask'>;

/**
 * The tips of a chain, and the bound on them. The bound only keeps out nonsense: it lets through what wallets and
 * bundlers ask by themselves. How much of a wallet tips above the market's may take is bounded in money.
 *
 * It reads in the background, so no request waits. With several providers it takes the median of their answers. An
 * answer that says nothing (no blocks, empty blocks, a node without old blocks) leaves the last one in force.
 */
export class FeeMarket {
  /** How often the background reads. */
  readonly refreshMs: number;
  /** Those that clients may still use, and at least the last. */
  private readings: readonly Reading[] = [];
  /** The bundler's prices that clients may still use. */
  private asked: ReadonlyArray<{ readonly atMs: number; readonly tipWei: bigint }> = [];
  private askedAtMs = -Infinity;
  /** Undefined before the first reading. */
  private boundWei: bigint | undefined;
  private again: Promise<void> | undefined;
  private againAtMs = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private running = false;
  private readonly clock: MonotonicClock;
  private readonly onFault: (error: unknown) => void;

  constructor(
    private readonly chain: Pick<ChainConfig, 'bounds' | 'blockTimeSeconds'>,
    private readonly sources: {
      /** One reader for each URL: each URL is asked separately, and the answers are compared. */
      readonly providers: readonly Provider[];
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
    await Promise.all([this.readChain(), this.askBundler()].map((reading) => reading.catch(this.onFault)));
    const highest = (tips: readonly bigint[]): bigint => tips.reduce(max, 0n);
    const ofClients = (this.highestMarketTipWei() * CLIENT_PERCENT) / 100n;
    const ofBundler = (highest(this.asked.map(({ tipWei }) => tipWei)) * BUNDLER_PERCENT) / 100n;
    if (this.readings.length > 0 || ofBundler > 0n) this.boundWei = max(ofClients, ofBundler);
  }

  /**
   * The highest tip that is sponsored; wei per gas.
   *
   * @param baseFeePerGasWei of the head. Before anything was read only the last bound holds: a start refuses nobody, and
   *   the ledger counts every tip as asked beyond the market
   */
  maxPriorityFeePerGasWei(baseFeePerGasWei: bigint): bigint {
    const { feeFloorWei, maxPriorityFeePerGasWei } = this.chain.bounds;
    const freeWei = max(feeFloorWei, (baseFeePerGasWei * FREE_PERCENT_OF_BASE_FEE) / 100n);
    return min(maxPriorityFeePerGasWei, max(freeWei, this.boundWei ?? maxPriorityFeePerGasWei));
  }

  /** Reads again for a client that asks for more than the bound: it may have read the chain later than this process. */
  async readAgain(): Promise<void> {
    if (this.clock() - this.againAtMs >= AGAIN_MS) {
      this.againAtMs = this.clock();
      this.again = this.refresh();
    }
    await this.again;
  }

  /** The tip to assume for a client that names no fees yet: what the chain pays; wei per gas. */
  usualPriorityFeePerGasWei(): bigint {
    return this.readings.at(-1)?.paidWei ?? 0n;
  }

  /**
   * The tip that the market pays or its nodes suggest now, whichever is more. What is above it is more than the
   * gateway's own answer; wei per gas.
   */
  marketTipWei(): bigint {
    const newest = this.readings.at(-1);
    return newest ? max(newest.paidWei, newest.suggestedWei) : 0n;
  }

  /**
   * The tip to name to a client that asks for fees: what the bundler asks, or else the nodes suggest, if that is more
   * than the usual tip; wei per gas. It may be above the bound.
   */
  suggestedPriorityFeePerGasWei(): bigint {
    const toldWei = this.asked.at(-1)?.tipWei ?? this.readings.at(-1)?.suggestedWei ?? 0n;
    return max(this.usualPriorityFeePerGasWei(), toldWei);
  }

  private highestMarketTipWei(): bigint {
    return this.readings.flatMap(({ paidWei, suggestedWei }) => [paidWei, suggestedWei]).reduce(max, 0n);
  }

  private async readChain(): Promise<void> {
    const atMs = this.clock();
    const params = [toQuantity(WINDOW_BLOCKS), 'latest', REWARD_PERCENTILES];
    const paid = this.ask((provider) => provider.ask('eth_feeHistory', params, parseFeeHistory));
    const [windows, suggested] = await Promise.allSettled([paid, this.ask(suggestedBy)]);
    const tips = windows.status === 'fulfilled' ? windows.value.flatMap((blocks) => paidTip(blocks) ?? []) : [];
    const last = this.readings.at(-1);
    if (tips.length > 0 || suggested.status === 'fulfilled') {
      const paidWei = tips.length > 0 ? medianOf(tips) : (last?.paidWei ?? 0n);
      const suggestedWei = suggested.status === 'fulfilled' ? medianOf(suggested.value) : (last?.suggestedWei ?? 0n);
      const recent = this.readings.filter((reading) => atMs - reading.atMs <= CLIENT_MS);
      this.readings = [...recent, { atMs, paidWei, suggestedWei }];
    }
    if (windows.status === 'rejected') throw windows.reason;
  }

  /** The answers of the providers that answer. @throws when no provider does */
  private async ask<T>(question: (provider: Provider) => Promise<T>): Promise<readonly T[]> {
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
    const tipWei = await bundler.askedPriorityFeeWei();
    if (tipWei === undefined) return;
    this.asked = [...this.asked.filter((earlier) => atMs - earlier.atMs <= CLIENT_MS), { atMs, tipWei }];
  }

  private async refreshAndSchedule(): Promise<void> {
    await this.refresh();
    if (!this.running) return;
    this.timer = setTimeout(() => void this.refreshAndSchedule(), this.refreshMs);
    this.timer.unref();
  }
}

/** What a node suggests to wallets. Nodes without `eth_maxPriorityFeePerGas` suggest a whole price; wei per gas. */
function suggestedBy(provider: Provider): Promise<bigint> {
  const tip = (value: unknown): bigint => parseQuantity(value, 'tip');
  return provider.ask('eth_maxPriorityFeePerGas', [], tip).catch(async () => {
    const [priceWei, baseFeeWei] = await Promise.all([
      provider.ask('eth_gasPrice', [], (value) => parseQuantity(value, 'gas price')),
      provider.ask('eth_getBlockByNumber', ['latest', false], (value) =>
        parseQuantity(parseRecord(value, 'block')['baseFeePerGas'] ?? '0x0', 'base fee'),
      ),
    ]);
    return max(priceWei - baseFeeWei, 0n);
  });
}

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
