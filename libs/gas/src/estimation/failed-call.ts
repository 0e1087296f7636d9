import type { Hex } from '@paymaster/domain';
import { Interface } from 'ethers';

/** The call of a batch that reverts, and with what. */
export interface FailedCall {
  /** Counted from zero. */
  readonly index: bigint;
  readonly data: Hex;
}

/** Of BaseAccount in @account-abstraction/contracts 0.8 and later. */
const BATCHES = new Interface(['error ExecuteError(uint256, bytes)']);
const EXECUTE_ERROR = BATCHES.getError('ExecuteError')?.selector ?? '';

/** Reads from an account's revert data which call of the batch failed; undefined if the data does not say that. */
export function failedCallOf(data: Hex): FailedCall | undefined {
  if (!data.startsWith(EXECUTE_ERROR)) return undefined;
  try {
    const [index, reverted] = BATCHES.decodeErrorResult('ExecuteError', data).toArray() as [bigint, Hex];
    return { index, data: reverted };
  } catch {
    return undefined;
  }
}
