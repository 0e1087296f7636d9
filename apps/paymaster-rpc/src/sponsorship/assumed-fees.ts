import type { UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';

/**
 * The operation of a stub with the fees that it will probably have. The fees that a client sends with a stub are
 * placeholders, so a stub does not check fees; the final call does.
 */
export function withAssumedFees(operation: UserOperation, { chain }: Caller): UserOperation {
  const tipWei = chain.fees.usualPriorityFeePerGasWei();
  return {
    ...operation,
    maxFeePerGas: 2n * chain.head.baseFeePerGasWei() + tipWei,
    maxPriorityFeePerGas: tipWei,
  };
}
