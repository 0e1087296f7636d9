import { isMethodUnknown, isTimeout, JsonRpcClient, parseQuantity, parseRecord } from '@paymaster/chain';
import { DependencyUnavailableError, type AccountGasLimits, type Address } from '@paymaster/domain';
import { monotonicClock, NO_DEADLINE, timeoutWithin } from '@paymaster/turns';
import { bundlerError } from './bundler-error';
import type { WireUserOperation } from './wire-user-operation';

const DEFAULT_TIMEOUT_MS = 4_000;

/** Calls to a bundler since the start, by their outcome. */
export interface BundlerCalls {
  readonly answered: number;
  /** The bundler answered that the operation, or our deposit, is at fault. */
  readonly refused: number;
  /** The bundler gave no usable answer. */
  readonly failed: number;
  /** The bundler did not answer in time for one operation, while it answered for others. */
  readonly slow: number;
}

/** An ERC-4337 bundler. It is asked only for estimates: the client sends the operations. */
export class BundlerClient {
  private readonly client: JsonRpcClient;
  private readonly timeoutMs: number;
  private readonly counts = { answered: 0, refused: 0, failed: 0, slow: 0 };

  constructor(options: { url: string; timeoutMs?: number }) {
    this.client = new JsonRpcClient(options.url);
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** For metrics. */
  get calls(): BundlerCalls {
    return this.counts;
  }

  /**
   * `eth_estimateUserOperationGas`. The paymaster's own limits in the answer are ignored: ours are measured constants,
   * because a bundler estimates them too low (docs/architecture/paymaster-data.md).
   *
   * @param deadlineMs of the request that asks, by the monotonic clock
   * @returns the account's limits as the bundler sees them, without margins; gas
   * @throws {FundingWalletError} when the deposit is too low (AA31)
   * @throws {SimulationFailedError} when validation or execution fails in simulation
   * @throws {InvalidParamsError} when the bundler does not accept the operation's form
   * @throws {DependencyUnavailableError} `bundler`, when there is no usable answer
   * @throws {RequestTimedOutError} when the deadline is over
   */
  async estimateUserOperationGas(
    operation: WireUserOperation,
    entryPoint: Address,
    deadlineMs?: number,
  ): Promise<AccountGasLimits> {
    const parse = (value: unknown): AccountGasLimits => {
      const estimate = parseRecord(value, 'estimate');
      return {
        callGasLimit: parseQuantity(estimate['callGasLimit'], 'callGasLimit'),
        // Early v0.6 bundlers said verificationGas.
        verificationGasLimit: parseQuantity(
          estimate['verificationGasLimit'] ?? estimate['verificationGas'],
          'verificationGasLimit',
        ),
        preVerificationGas: parseQuantity(estimate['preVerificationGas'], 'preVerificationGas'),
      };
    };
    return this.ask('eth_estimateUserOperationGas', [operation, entryPoint], parse, deadlineMs);
  }

  /**
   * The tip that the bundler wants (`pimlico_getUserOperationGasPrice`, the fastest of its three); wei per gas.
   * Undefined if the bundler does not have the method. The gateway asks it in the background, so the counts leave it
   * out.
   *
   * @throws when there is no usable answer
   */
  async askedPriorityFeeWei(): Promise<bigint | undefined> {
    try {
      const prices = parseRecord(
        await this.client.call('pimlico_getUserOperationGasPrice', [], { timeoutMs: this.timeoutMs }),
        'gas prices',
      );
      return parseQuantity(parseRecord(prices['fast'], 'fast')['maxPriorityFeePerGas'], 'maxPriorityFeePerGas');
    } catch (error) {
      if (isMethodUnknown(error)) return undefined;
      throw error;
    }
  }

  private get heard(): number {
    return this.counts.answered + this.counts.refused;
  }

  private async ask<T>(
    method: string,
    params: readonly unknown[],
    parse: (value: unknown) => T,
    deadlineMs = NO_DEADLINE,
  ): Promise<T> {
    const timeoutMs = timeoutWithin(deadlineMs, { boundMs: this.timeoutMs, nowMs: monotonicClock() });
    const heardBefore = this.heard;
    try {
      const answer = parse(await this.client.call(method, params, { timeoutMs }));
      this.counts.answered += 1;
      return answer;
    } catch (error) {
      const told = bundlerError(error);
      if (!(told instanceof DependencyUnavailableError)) this.counts.refused += 1;
      else if (!isTimeout(error)) this.counts.failed += 1;
      // If other work left the call less than its usual time, a timeout says nothing about the bundler.
      else if (timeoutMs === this.timeoutMs) this.counts[this.heard > heardBefore ? 'slow' : 'failed'] += 1;
      throw told;
    }
  }
}
