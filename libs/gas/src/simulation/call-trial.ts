import { CallRevertedError, StateOverridesUnsupportedError, type ChainProvider } from '@paymaster/chain';
import { callTrialAbi, callTrialRuntimeBytecode } from '@paymaster/contract-abis';
import type { Address, Hex } from '@paymaster/domain';
import { Interface } from 'ethers';

const TRIAL = new Interface(callTrialAbi);

/** A call that an account would make. */
export interface TriedCall {
  readonly to: Address;
  readonly valueWei: bigint;
  readonly data: Hex;
}

/** Calls of an account, one after the other. */
export interface CallTrialRequest {
  readonly sender: Address;
  readonly calls: readonly TriedCall[];
  /** The most that they may use together. */
  readonly gas: bigint;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number | undefined;
}

/** Says whether calls of an account would succeed now. It runs the called contracts, and not the account. */
export class CallTrial {
  /** @param provider a separate one: strangers' contracts run here */
  constructor(private readonly provider: Pick<ChainProvider, 'ethCall'>) {}

  /**
   * @returns undefined on a chain whose nodes take no state overrides
   * @throws {DependencyUnavailableError} `chain`, when it cannot be read
   */
  async succeeds({ sender, calls, gas, deadlineMs }: CallTrialRequest): Promise<boolean | undefined> {
    const list = calls.map(({ to, valueWei, data }) => [to, valueWei, data]);
    const data = TRIAL.encodeFunctionData('attempt', [list]) as Hex;
    const overrides = { [sender]: { code: callTrialRuntimeBytecode } };
    try {
      await this.provider.ethCall({ to: sender, data, gas }, () => undefined, overrides, deadlineMs);
      return true;
    } catch (error) {
      if (error instanceof CallRevertedError) return false;
      if (error instanceof StateOverridesUnsupportedError) return undefined;
      throw error;
    }
  }
}
