import type { UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';

/**
 * The operation of a stub with the fees that it will likely have. Those that a client sends with it are placeholders,
 * so a stub judges no fees: the final call does.
 */
export function withAssumedFees(operation: UserOperation, { chain }: Caller): UserOperation {
  const tipWei = chain.fees.usualPriorityFeePerGasWei();
  return {
    ...operation,
    maxFeePerGas: 2n * chain.head.baseFeePerGasWei() + tipWei,
    maxPriorityFeePerGas: tipWei,
  };
}
