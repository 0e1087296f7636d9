import { createHash } from 'node:crypto';
import { callMeterAbi, callMeterRuntimeBytecode } from '@paymaster/contract-abis';
import type { Address, Hex } from '@paymaster/domain';
import { Interface } from 'ethers';
import { LRUCache } from 'lru-cache';
import { parseWords } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';
import { CallRevertedError } from '../providers/eth-call';
import { StateOverridesUnsupportedError } from '../providers/state-overrides';

const METER = new Interface(callMeterAbi);

/** How long a measurement is used, because the state may change, and how many are kept. */
const REMEMBERED_MS = 600_000;
const MAX_REMEMBERED = 20_000;
/**
 * The most gas for which the measurement of one call justifies the limit of another call of the same method. An attacker
 * has a method measured with arguments that take much gas, and then calls it with arguments that take little: the
 * EntryPoint gives his bundler a tenth of the difference.
 */
const SHARED_GAS = 50_000n;

/** The limit in percent of the measured gas, because state may change before the operation lands. */
const MARGIN_PERCENT = 110n;
/**
 * Gas that `callGasLimit` contains besides the calls: what the account takes around them, and what bundlers add. Alto
 * adds the paymaster's `postOp` and the EntryPoint's own part. With less for each call, alto's own estimates of batches
 * are refused.
 */
const AROUND_CALLS_GAS = 35_000n;
const PER_CALL_GAS = 8_000n;

/** One call that the account makes. */
export interface MeasuredCall {
  readonly to: Address;
  readonly valueWei: bigint;
  readonly data: Hex;
  readonly selector: Hex | undefined;
}

export interface CallGasQuestion {
  readonly sender: Address;
  /** The selector of the account's function that makes the calls; accounts of one family have the same function. */
  readonly shape: string;
  readonly calls: readonly MeasuredCall[];
  /** What the account's function certainly takes before the calls, because it sets the account up. Gas. */
  readonly setupGas?: bigint | undefined;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number;
}

/**
 * Computes the `callGasLimit` that the calls of an operation justify. It measures the called contracts and never the
 * account: an attacker may write an account that takes more gas in a simulation than on chain, to get a tenth of the
 * unused gas.
 *
 * Results are kept by contract, method and account function, so a known combination needs no call. Above
 * {@link SHARED_GAS} they are kept by sender and call data too, and each other operation is measured.
 */
export class CallGas {
  private readonly byMethod = new LRUCache<string, bigint>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  private readonly byData = new LRUCache<string, bigint>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });

  /** @param provider a separate one: strangers' contracts run here */
  constructor(private readonly provider: Pick<ChainProvider, 'ethCall'>) {}

  /** The highest limit that kept measurements justify; gas. */
  known(question: CallGasQuestion): bigint | undefined {
    const gasUsed = this.used(question);
    return gasUsed === undefined ? undefined : limitFor(gasUsed, question);
  }

  /** The gas that the calls took, from kept measurements; undefined if they have to be measured. Gas. */
  used(question: CallGasQuestion): bigint | undefined {
    const gasUsed = this.byMethod.get(methodOf(question));
    return gasUsed === undefined || gasUsed <= SHARED_GAS ? gasUsed : this.byData.get(dataOf(question));
  }

  /**
   * Measures the calls now.
   *
   * @param mostGas the most gas that the simulated calls may use
   * @returns the highest limit that they justify, gas; undefined on a chain whose nodes take no state overrides
   * @throws {DependencyUnavailableError} `chain`, when it cannot be read
   */
  async measure(question: CallGasQuestion, mostGas: bigint): Promise<bigint | undefined> {
    const { sender, calls, deadlineMs } = question;
    const list = calls.map(({ to, valueWei, data }) => [to, valueWei, data]);
    const data = METER.encodeFunctionData('measure', [list]) as Hex;
    const call = { to: sender, data, gas: mostGas };
    const overrides = { [sender]: { code: callMeterRuntimeBytecode } };
    const parse = (returned: unknown): bigint => parseWords(returned, 1, 'measure')[0] ?? 0n;
    try {
      const gasUsed = await this.provider.ethCall(call, parse, overrides, deadlineMs);
      this.byMethod.set(methodOf(question), gasUsed);
      if (gasUsed > SHARED_GAS) this.byData.set(dataOf(question), gasUsed);
      return limitFor(gasUsed, question);
    } catch (error) {
      if (error instanceof StateOverridesUnsupportedError || error instanceof CallRevertedError) return undefined;
      throw error;
    }
  }
}

function limitFor(gasUsed: bigint, { calls, setupGas = 0n }: CallGasQuestion): bigint {
  return ((setupGas + gasUsed) * MARGIN_PERCENT) / 100n + AROUND_CALLS_GAS + PER_CALL_GAS * BigInt(calls.length);
}

function methodOf({ shape, calls }: CallGasQuestion): string {
  return `${shape}${calls.map(({ to, selector = '' }) => to + selector).join('')}`;
}

function dataOf({ sender, shape, calls }: CallGasQuestion): string {
  const made = calls.map(({ to, valueWei, data }) => `${to} ${valueWei} ${data}`);
  return createHash('sha256')
    .update([sender, shape, ...made].join('\n'))
    .digest('base64');
}
