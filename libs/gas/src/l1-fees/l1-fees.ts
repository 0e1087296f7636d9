import type { ChainConfig, ChainReads } from '@paymaster/chain';
import { DependencyUnavailableError } from '@paymaster/domain';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import { handleOpsTransaction, type CarriedOperation } from './handle-ops-transaction';
import { dataFeeWei, operatorFeeWei, type L1FeeReader, type L1FeeReading } from './l1-fee-scheme';
import { findRollupKind, ROLLUPS, RollupMismatchError } from './rollup-kind';

/** How often fees are read; milliseconds. About the block time of rollups whose clients see every block. */
const DEFAULT_REFRESH_MS = 2_000;
/** How often a chain whose kind differs from the configuration is checked again; milliseconds. */
const MISMATCH_MS = 60_000;
/** How old a reading may be for a signature; milliseconds. */
const MAX_AGE_MS = 60_000;
/**
 * Rising fees are assumed to go on rising at the pace between two readings, up to this bound (what an L1 block can
 * move); thousandths.
 */
const MOST_RISE_THOUSANDTHS = 1_125n;
/** How long clients may still use a reading: the time of one L1 block; milliseconds. */
const QUOTED_WITHIN_MS = 12_000;

export interface L1FeesOptions {
  readonly refreshMs?: number;
  readonly clock?: MonotonicClock;
  /** Called with the reason why a reading failed, and when the chain's kind differs from the configuration. */
  readonly onFault?: (error: unknown) => void;
}

export interface L1GasRequest extends CarriedOperation {
  /**
   * What the EntryPoint pays for a unit of gas now: the lower of the maximum fee and base fee plus tip; wei. When the
   * operation lands, the price may be higher, up to the maximum fee. Then the gas for L1 data brings more money too.
   */
  readonly gasPriceWei: bigint;
  /** The gas that the whole transaction is expected to use without its L1 data; the operator's fee depends on it. */
  readonly transactionGas: bigint;
}

/** The gas for L1 data that `preVerificationGas` has to pay; gas. */
export interface L1Gas {
  /** By the chain's current charge. */
  readonly expected: bigint;
  /** The most that honest clients ask. */
  readonly highest: bigint;
}

const NO_L1_GAS: L1Gas = { expected: 0n, highest: 0n };

interface TimedReading {
  readonly atMs: number;
  readonly reading: L1FeeReading;
}

/**
 * A rollup's fee for putting a transaction on its L1, counted in gas. An EntryPoint pays it through
 * `preVerificationGas` without measuring it, so the gateway has to know it. Fees are read in the background and kept in
 * memory, so no request waits. Always zero on a chain that is no rollup.
 *
 * `highest` is the most that a signature may promise at this moment, the higher of:
 * - the newest reading with head room for what one L1 block can move (an eighth, 12.5 %): a client's bundler may have
 *   seen a block that was not read here yet. Fees that rise tenfold within a minute rise by 8 % between two readings,
 *   so clients that follow them pass. A bundler that also adds a tenth would not pass, so fees that rose twice in a row
 *   are assumed to rise on.
 * - every reading of the last 12 s, an L1 block's time: a client may have been quoted before the fee fell. A client
 *   that was quoted earlier passes while the fee has fallen by less than the head room. Otherwise it asks again with
 *   the limit that the refusal names.
 *
 * So an attacker who bundles his own operation as the one call that is counted here is paid at most 1.125 times what
 * its L1 data costs while fees stand still, and 1.17 times while they fall (a blob base fee falls by up to 14.6 % a
 * block). Right after a reading of fees that rise tenfold within a minute it is 1.22 times. On Arbitrum, whose nodes
 * pad what they tell bundlers, it is 1.28 times while fees stand still. He may also leave out his signature, which is
 * an eighth of the data of a small operation.
 *
 * What remains: an attacker who waits with the signature until the fee has fallen is still paid the old fee, while the
 * signature is valid. An attacker who packs the call data better than a plain `handleOps` (several operations, or a
 * contract of his own that unpacks it) keeps what he saves. Neither gets more than honest bundlers are paid.
 */
export class L1Fees {
  private readonly reader: L1FeeReader | undefined;
  private readonly refreshMs: number;
  private readonly clock: MonotonicClock;
  private readonly onFault: (error: unknown) => void;
  /** Newest last. */
  private readings: readonly TimedReading[] = [];
  private isOfItsKind = false;
  private mismatch: RollupMismatchError | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly chain: Pick<ChainConfig, 'chainId' | 'rollup' | 'entryPoints'>,
    private readonly provider: Pick<ChainReads, 'ethCall' | 'code'>,
    options: L1FeesOptions = {},
  ) {
    this.refreshMs = options.refreshMs ?? DEFAULT_REFRESH_MS;
    this.clock = options.clock ?? monotonicClock;
    this.onFault = options.onFault ?? (() => undefined);
    this.reader = chain.rollup === 'none' ? undefined : ROLLUPS[chain.rollup].openReader(provider, this.clock);
  }

  /** Checks the kind of the chain, and reads its fees from now on. Never rejects: {@link trouble} tells. */
  async start(): Promise<void> {
    try {
      await this.refresh();
    } catch (error) {
      this.onFault(error);
    }
    if (this.stopped || (this.isOfItsKind && !this.reader)) return;
    this.timer = setTimeout(() => void this.start(), this.mismatch ? MISMATCH_MS : this.refreshMs);
    this.timer.unref();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Reads now. The background does this; call it only where waiting is right. */
  async refresh(): Promise<void> {
    await this.assertKind();
    if (!this.reader) return;
    const atMs = this.clock();
    const reading = await this.reader.read();
    // A change of the scheme (an upgrade) makes earlier prices incomparable.
    const comparable = this.readings.filter((earlier) => earlier.reading.scheme === reading.scheme);
    this.readings = [...comparable.filter((earlier) => atMs - earlier.atMs <= QUOTED_WITHIN_MS), { atMs, reading }];
  }

  /** How old the newest reading is, in seconds; infinite before there is one. Undefined on chains that are no rollup. */
  ageSeconds(): number | undefined {
    if (!this.reader) return undefined;
    const newest = this.readings.at(-1);
    return newest ? (this.clock() - newest.atMs) / 1_000 : Infinity;
  }

  /** Why nothing can be signed for this chain because of its L1 fees. */
  trouble(): string | undefined {
    if (this.mismatch) return this.mismatch.message;
    const age = this.ageSeconds();
    if (age === undefined || age * 1_000 <= MAX_AGE_MS) return undefined;
    const since = age === Infinity ? 'has not been read yet' : `was last read ${Math.round(age)} s ago`;
    return `the L1 data fee of chain ${this.chain.chainId} ${since}`;
  }

  /**
   * The gas for L1 data of one operation, to be added to the gas of the L2. Synchronous; some ten microseconds on OP
   * stack chains, twice as many on Arbitrum.
   *
   * @throws {DependencyUnavailableError} `chain`, when the fee is not known, or the chain is of another kind
   */
  preVerificationGas({ gasPriceWei, transactionGas, ...carried }: L1GasRequest): L1Gas {
    const trouble = this.trouble();
    if (trouble !== undefined) throw new DependencyUnavailableError('chain', trouble);
    const newest = this.readings.at(-1)?.reading;
    // While gas is free, no fee can be paid through a gas limit.
    if (!newest || gasPriceWei === 0n) return NO_L1_GAS;
    const { scheme } = newest;
    const units = scheme.units(handleOpsTransaction(carried, this.placeOf(carried)));
    const ofOperator = operatorFeeWei(newest.operatorFee, transactionGas);
    const expectedWei = dataFeeWei(newest, units);
    let highestWei = (expectedWei * scheme.headRoomThousandths * this.riseThousandths()) / 1_000_000n;
    const sinceMs = this.clock() - QUOTED_WITHIN_MS;
    for (const { atMs, reading } of this.readings) {
      const quotedWei = atMs < sinceMs ? 0n : dataFeeWei(reading, units);
      if (quotedWei > highestWei) highestWei = quotedWei;
    }
    return {
      expected: ceilDiv(expectedWei + ofOperator, gasPriceWei),
      highest: ceilDiv(highestWei + ofOperator, gasPriceWei),
    };
  }

  /**
   * How fast the price rises from reading to reading; thousandths. It takes the slower of the last two rises. A single
   * rise is over by the time it is read, and an attacker who bundles for himself could wait for one.

   */
  private riseThousandths(): bigint {
    const prices = this.readings.slice(-3).map(({ reading }) => reading.price);
    if (prices.length < 3) return 1_000n;
    const [first, second, newest] = prices as [bigint, bigint, bigint];
    const rises = [ratioThousandths(second, first), ratioThousandths(newest, second), MOST_RISE_THOUSANDTHS];
    const slowest = rises.reduce((least, rise) => (rise < least ? rise : least));
    return slowest > 1_000n ? slowest : 1_000n;
  }

  private placeOf({ operation: { entryPointVersion } }: CarriedOperation) {
    const { chainId, entryPoints } = this.chain;
    const served = entryPoints[entryPointVersion];
    if (!served) throw new RangeError(`chain ${chainId} has no EntryPoint v${entryPointVersion}`);
    return { chainId, entryPoint: served.entryPoint };
  }

  private async assertKind(): Promise<void> {
    if (this.isOfItsKind) return;
    const found = await findRollupKind(this.provider);
    this.isOfItsKind = found === this.chain.rollup;
    this.mismatch = this.isOfItsKind ? undefined : new RollupMismatchError(this.chain, found);
    if (this.mismatch) throw this.mismatch;
  }
}

function ratioThousandths(amount: bigint, of: bigint): bigint {
  return of === 0n ? 1_000n : (amount * 1_000n) / of;
}

function ceilDiv(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}
