import type { PriceReference, TokenListing } from '@paymaster/domain';
import { monotonicClock, type MonotonicClock } from '../clock';
import type { SequencerCheck } from '../sources/feed/sequencer-feed';
import { outage, type PriceAnswer, type PriceProblem, type PriceSource } from '../sources/price-source';
import type { TokenRate, TokenRates } from '../token-rates';
import { FaultReporter, type PricingFault } from './fault-reporter';
import { DEFAULT_CONFIRMATIONS, JumpGuard } from './jump-guard';
import { priceUnavailable } from '../price-unavailable.error';
import { pricingFaults, stoppedTokens, type PricingHealth } from './pricing-health';
import { RefreshLoop } from './refresh-loop';
import { SequencerGate } from './sequencer-gate';
import { WatchedAsset, type UsablePrice } from './watched-asset';
import type { WatchedToken } from './watched-token';
import { WatchedTokens } from './watched-tokens';

export interface PriceBookOptions {
  /** The native coin. */
  readonly native: PriceReference;
  /** Tokens that are always priced: the operator's. */
  readonly tokens: readonly TokenListing[];
  readonly source: PriceSource;
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
  /** Tokens at once, the operator's included; default 2,000. */
  readonly maxTokens?: number;
  readonly clock?: MonotonicClock;
  /** Hears each fault once, when it appears. A place for a log line; must not throw. */
  readonly onFault?: (fault: PricingFault) => void;
}

const LONGEST_REFRESH_SECONDS = 15;
const DROP_UNASKED_AFTER_MS = 3_600_000;
const DEFAULT_MAX_TOKENS = 2_000;
/** Tokens that come together are read together. */
const READ_NEWCOMERS_AFTER_MS = 20;

/**
 * The rates of one chain. Prices are read in the background and the rates worked out then, so {@link rateOf} looks
 * up one entry and asks nobody. A fault of the native coin or of the sequencer stops every token of the chain, one of
 * a token's own price that token only; no rate outlives the age of its prices, whatever becomes of the refresh.
 */
export class PriceBook implements TokenRates {
  private readonly source: PriceSource;
  private readonly tokens: WatchedTokens;
  private readonly native: WatchedAsset;
  private readonly sequencer: SequencerGate;
  private readonly loop: RefreshLoop;
  private readonly clock: MonotonicClock;
  private readonly reporter: FaultReporter;
  private newcomersTimer: NodeJS.Timeout | undefined;

  constructor(options: PriceBookOptions) {
    const { maxAgeSeconds, maxJumpMillionths, confirmations = DEFAULT_CONFIRMATIONS } = options;
    const refreshSeconds = options.refreshSeconds ?? Math.min(maxAgeSeconds / 4, LONGEST_REFRESH_SECONDS);
    this.source = options.source;
    this.clock = options.clock ?? monotonicClock;
    this.reporter = new FaultReporter(options.onFault ?? (() => undefined));
    this.sequencer = new SequencerGate(options.sequencer, maxAgeSeconds);
    this.tokens = new WatchedTokens({
      newAsset: (reference) =>
        new WatchedAsset(reference, new JumpGuard(maxJumpMillionths, confirmations), maxAgeSeconds),
      maxTokens: options.maxTokens ?? DEFAULT_MAX_TOKENS,
      dropAfterMs: DROP_UNASKED_AFTER_MS,
    });
    this.native = this.tokens.asset(options.native);
    for (const token of options.tokens) this.tokens.addPermanent(token);
    this.loop = new RefreshLoop(() => this.refreshAll(), refreshSeconds * 1_000);
  }

  /** Reads every price once, then keeps them fresh until {@link stop}. Never rejects: {@link health} tells. */
  start(): Promise<void> {
    return this.loop.start();
  }

  stop(): void {
    this.loop.stop();
    clearTimeout(this.newcomersTimer);
    this.newcomersTimer = undefined;
  }

  /** Reads every price now, or joins the refresh under way. The background does this. */
  refresh(): Promise<void> {
    return this.loop.runNow();
  }

  /**
   * The rate of a token, from memory. One that was not watched is from now on.
   *
   * @throws {PriceUnavailableError} saying why this token can't be quoted now
   */
  rateOf(listing: TokenListing): TokenRate {
    const nowMs = this.clock();
    const rate = this.watched(listing, nowMs)?.rate(nowMs);
    if (!rate) throw priceUnavailable(listing, 'NOT_YET_READ');
    if ('fault' in rate) throw priceUnavailable(listing, rate.fault);
    return rate;
  }

  /** Prices these tokens too from now on; what nobody asked about for an hour is dropped. */
  watch(listings: readonly TokenListing[]): void {
    const nowMs = this.clock();
    for (const listing of listings) this.watched(listing, nowMs);
  }

  health(): PricingHealth {
    const nowMs = this.clock();
    const tokens = this.tokens.all();
    return { tokens: tokens.length, stopped: stoppedTokens(tokens, nowMs), faults: this.faults(nowMs) };
  }

  private async refreshAll(): Promise<void> {
    this.tokens.dropUnasked(this.clock(), this.native);
    await Promise.all([this.sequencer.refresh(this.clock()), this.read(this.tokens.allAssets())]);
    this.updateRates();
  }

  private async read(assets: readonly WatchedAsset[]): Promise<void> {
    const readAtMs = this.clock();
    for (const asset of assets) asset.isAskedFor = true;
    const answers = await this.source
      .read(assets.map(({ reference }) => reference))
      .catch((): readonly PriceAnswer[] => []);
    assets.forEach((asset, index) => asset.take(answers[index] ?? outage('the price source failed'), readAtMs));
  }

  private updateRates(): void {
    const nowMs = this.clock();
    const native = this.nativeState(nowMs);
    for (const token of this.tokens.all()) token.update(native, nowMs);
    this.reporter.report(this.faults(nowMs));
  }

  /** The coin's price for as long as sequencer and price vouch for it, or what stops the whole chain. */
  private nativeState(nowMs: number): UsablePrice | PriceProblem {
    const state = this.sequencer.problem(nowMs) ?? this.native.state(nowMs);
    if ('fault' in state) return { ...state, message: `native coin: ${state.message}` };
    return { ...state, validUntilMs: Math.min(state.validUntilMs, this.sequencer.validUntilMs) };
  }

  private watched(listing: TokenListing, nowMs: number): WatchedToken | undefined {
    const token = this.tokens.find(listing) ?? this.addToken(listing, nowMs);
    if (token) token.lastAskedMs = nowMs;
    return token;
  }

  private addToken(listing: TokenListing, nowMs: number): WatchedToken | undefined {
    const token = this.tokens.add(listing);
    // An asset that another token stands for too is known already; a new one is read before its turn.
    if (token?.asset.isAskedFor) token.update(this.nativeState(nowMs), nowMs);
    else if (token && this.loop.isRunning) this.readNewcomersSoon();
    return token;
  }

  private readNewcomersSoon(): void {
    this.newcomersTimer ??= setTimeout(() => {
      this.newcomersTimer = undefined;
      const newcomers = this.tokens.allAssets().filter((asset) => !asset.isAskedFor);
      void this.read(newcomers).then(() => this.updateRates());
    }, READ_NEWCOMERS_AFTER_MS).unref();
  }

  private faults(nowMs: number): PricingFault[] {
    const tokens = this.tokens.all();
    return pricingFaults({ sequencerProblem: this.sequencer.problem(nowMs), native: this.native, tokens, nowMs });
  }
}
