import type { PriceReference, TokenListing } from '@paymaster/domain';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import type { SequencerCheck } from '../sources/feed/sequencer-feed';
import {
  outage,
  type PriceAnswer,
  type PriceProblem,
  type PriceRound,
  type PriceSource,
} from '../sources/price-source';
import type { TokenRate, TokenRates } from './token-rates';
import { FaultReporter, type PricingFault } from './fault-reporter';
import { DEFAULT_CONFIRMATIONS, JumpGuard } from './jump-guard';
import { nativePriceUnavailable, priceUnavailable } from '../sources/price-unavailable.error';
import { lookAt, priceViews, sourceViews, type PriceLook, type PriceReport } from './price-report';
import { pricingFaults, stoppedTokens, type PricingHealth } from './pricing-health';
import { RefreshLoop } from './refresh-loop';
import { SequencerGate } from './sequencer-gate';
import { WatchedAsset, type UsablePrice } from './watched-asset';
import { WatchedTokens } from './watched-tokens';

export interface PriceBookOptions {
  /** The native coin. */
  readonly native: PriceReference;
  /** Tokens that are always priced: the operator's. */
  readonly tokens: readonly TokenListing[];
  readonly source: PriceSource;
  /** The parts of `source`, reported separately in {@link PriceBook.report}; by default it is one part. */
  readonly parts?: readonly PriceSource[];
  /** Null on a chain without a sequencer. */
  readonly sequencer: SequencerCheck | null;
  /** A price older than this is not quoted; seconds. */
  readonly maxAgeSeconds: number;
  /** A price that moved by more than this since the last accepted one must be confirmed first; millionths. */
  readonly maxJumpMillionths: number;
  /** Readings in a row that confirm a jump; default 3. */
  readonly confirmations?: number;
  /** Seconds between refreshes; default a quarter of the age, at most 15 s. */
  readonly refreshSeconds?: number;
  /** The most tokens that are priced, including the operator's; default 2,000. */
  readonly maxTokens?: number;
  readonly clock?: MonotonicClock;
  /** Called once for each fault, when it appears. Log it; it must not throw. */
  readonly onFault?: (fault: PricingFault) => void;
}

const NO_SOURCES = { sources: [], leftOut: [] };
const LONGEST_REFRESH_SECONDS = 15;
const DROP_UNASKED_AFTER_MS = 3_600_000;
const DEFAULT_MAX_TOKENS = 2_000;
const MAX_TOKENS_PER_OWNER = 100;
/** How long to wait after a new token, so that tokens that are added together are read together. */
const READ_NEWCOMERS_AFTER_MS = 20;

/**
 * The rates of one chain. Prices are read in the background, and the rates are computed then, so {@link rateOf} only
 * looks up one entry. A fault of the native coin or of the sequencer stops every token of the chain; a fault of a
 * token's price stops only that token. No rate outlives the age of its prices, also when the refresh fails.
 *
 * Tokens that owners of paymasters name are read in separate rounds. The rounds of the native coin and the operator's
 * tokens neither wait for them nor share a deadline with them.
 */
export class PriceBook implements TokenRates {
  private readonly source: PriceSource;
  private readonly parts: readonly PriceSource[];
  private readonly tokens: WatchedTokens;
  private readonly sequencer: SequencerGate;
  private readonly operatorsLoop: RefreshLoop;
  private readonly ownersLoop: RefreshLoop;
  private readonly clock: MonotonicClock;
  private readonly reporter: FaultReporter;
  private newcomersTimer: NodeJS.Timeout | undefined;

  constructor(options: PriceBookOptions) {
    const { maxAgeSeconds, maxJumpMillionths, confirmations = DEFAULT_CONFIRMATIONS } = options;
    const refreshSeconds = options.refreshSeconds ?? Math.min(maxAgeSeconds / 4, LONGEST_REFRESH_SECONDS);
    this.source = options.source;
    this.parts = options.parts ?? [options.source];
    this.clock = options.clock ?? monotonicClock;
    this.reporter = new FaultReporter(options.onFault ?? (() => undefined));
    this.sequencer = new SequencerGate(options.sequencer, maxAgeSeconds);
    this.tokens = new WatchedTokens({
      newAsset: (reference) =>
        new WatchedAsset(reference, new JumpGuard(maxJumpMillionths, confirmations), maxAgeSeconds),
      native: options.native,
      operators: options.tokens,
      maxTokens: options.maxTokens ?? DEFAULT_MAX_TOKENS,
      maxTokensPerOwner: MAX_TOKENS_PER_OWNER,
      dropAfterMs: DROP_UNASKED_AFTER_MS,
    });
    this.operatorsLoop = new RefreshLoop(() => this.refreshOperators(), refreshSeconds * 1_000);
    this.ownersLoop = new RefreshLoop(() => this.refreshOwners(), refreshSeconds * 1_000);
  }

  /**
   * Reads the operator's prices once, then keeps all prices fresh until {@link stop}. Never rejects: {@link health}
   * reports faults.
   */
  start(): Promise<void> {
    void this.ownersLoop.start();
    return this.operatorsLoop.start();
  }

  stop(): void {
    this.operatorsLoop.stop();
    this.ownersLoop.stop();
    clearTimeout(this.newcomersTimer);
    this.newcomersTimer = undefined;
  }

  /** Reads every price now, or joins the rounds under way. The background does this. */
  async refresh(): Promise<void> {
    await Promise.all([this.operatorsLoop.runNow(), this.ownersLoop.runNow()]);
  }

  /**
   * The rate of a watched token, from memory.
   *
   * @throws {PriceUnavailableError} saying why this token can't be quoted now
   */
  rateOf(listing: TokenListing): TokenRate {
    const rate = this.tokens.find(listing)?.rate(this.clock());
    if (!rate) throw priceUnavailable(listing, 'NOT_YET_READ');
    if ('fault' in rate) throw priceUnavailable(listing, rate.fault);
    return rate;
  }

  /**
   * USD per whole native coin, times 1e36, from memory.
   *
   * @throws {PriceUnavailableError} with the reason why there is no price now
   */
  nativeUsdE36(): bigint {
    const state = this.nativeState(this.clock());
    if ('fault' in state) throw nativePriceUnavailable(state.fault);
    return state.usdE36;
  }

  watch(owner: string, listings: readonly TokenListing[]): void {
    const nowMs = this.clock();
    const added = this.tokens.replace(owner, listings, nowMs);
    if (added.length === 0) return;
    // A new asset is read at once. An asset that another token already uses needs no reading.
    const native = this.nativeState(nowMs);
    for (const token of added) if (token.asset.isAskedFor) token.update(native, nowMs);
    if (added.some(({ asset }) => !asset.isAskedFor) && this.ownersLoop.isRunning) this.readNewcomersSoon();
  }

  health(): PricingHealth {
    const nowMs = this.clock();
    const tokens = this.tokens.all();
    return {
      tokens: tokens.length,
      stopped: stoppedTokens(
        tokens.filter(({ isOperators }) => isOperators),
        nowMs,
      ),
      ownersStopped: stoppedTokens(
        tokens.filter(({ isOperators }) => !isOperators),
        nowMs,
      ).length,
      faults: this.faults(nowMs),
    };
  }

  /** The operator's prices and their sources, from memory. */
  report(): PriceReport {
    const nowMs = this.clock();
    const native = this.tokens.native.ageSeconds(nowMs);
    const isPriced = !('fault' in this.nativeState(nowMs));
    const operators = this.tokens.all().filter(({ isOperators }) => isOperators);
    return {
      prices: [{ token: null, isUsable: isPriced, ageSeconds: native }, ...priceViews(operators, nowMs)],
      sources: sourceViews(this.parts, this.tokens.assetsOfOperator()),
    };
  }

  /** The price of a token, or of the native coin (null), from memory, with its sources; also of one that is not watched. */
  look(listing: TokenListing | null): PriceLook {
    const nowMs = this.clock();
    const asset = listing ? this.tokens.find(listing)?.asset : this.tokens.native;
    if (!asset) return { ...{ usdE36: null, problem: 'its price is not read', ageSeconds: null }, ...NO_SOURCES };
    const state = listing ? asset.state(nowMs) : this.nativeState(nowMs);
    return lookAt(asset, { state, sources: this.parts, nowMs });
  }

  private async refreshOperators(): Promise<void> {
    await Promise.all([this.sequencer.refresh(this.clock()), this.read(this.tokens.assetsOfOperator(), 'operator')]);
    this.updateRates();
  }

  private async refreshOwners(): Promise<void> {
    this.tokens.dropUnasked(this.clock());
    await this.read(this.tokens.assetsOfOwners(), 'owners');
    this.updateRates();
  }

  private async read(assets: readonly WatchedAsset[], round: PriceRound): Promise<void> {
    if (assets.length === 0) return;
    const readAtMs = this.clock();
    for (const asset of assets) asset.isAskedFor = true;
    const references = assets.map(({ reference }) => reference);
    const answers = await this.source.read(references, round).catch((): readonly PriceAnswer[] => []);
    assets.forEach((asset, index) => asset.take(answers[index] ?? outage('the price source failed'), readAtMs));
  }

  private updateRates(): void {
    const nowMs = this.clock();
    const native = this.nativeState(nowMs);
    for (const token of this.tokens.all()) token.update(native, nowMs);
    this.reporter.report(this.faults(nowMs));
  }

  /** The coin's price for as long as sequencer and price are good, or the fault that stops the whole chain. */
  private nativeState(nowMs: number): UsablePrice | PriceProblem {
    const state = this.sequencer.problem(nowMs) ?? this.tokens.native.state(nowMs);
    if ('fault' in state) return { ...state, message: `native coin: ${state.message}` };
    return { ...state, validUntilMs: Math.min(state.validUntilMs, this.sequencer.validUntilMs) };
  }

  /** Reads new assets, one reading at a time, however often owners change their lists. */
  private readNewcomersSoon(): void {
    this.newcomersTimer ??= setTimeout(() => void this.readNewcomers(), READ_NEWCOMERS_AFTER_MS).unref();
  }

  private async readNewcomers(): Promise<void> {
    await this.read(this.newcomers(), 'owners');
    this.updateRates();
    this.newcomersTimer = undefined;
    if (this.newcomers().length > 0 && this.ownersLoop.isRunning) this.readNewcomersSoon();
  }

  private newcomers(): WatchedAsset[] {
    return this.tokens.assetsOfOwners().filter((asset) => !asset.isAskedFor);
  }

  private faults(nowMs: number): PricingFault[] {
    const tokens = this.tokens.all();
    return pricingFaults({
      sequencerProblem: this.sequencer.problem(nowMs),
      native: this.tokens.native,
      tokens,
      nowMs,
    });
  }
}
