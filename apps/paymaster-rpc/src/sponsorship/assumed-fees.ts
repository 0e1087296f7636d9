import type { UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';

/** A usual tip, for a stub of which the client does not know the fees yet; wei per gas. */
const USUAL_TIP_WEI = 1_000_000_000n;

/** Clients ask for the stub before they know the fees, or with zeros: then ours are assumed. */
export function withAssumedFees(operation: UserOperation, { chain }: Caller): UserOperation {
  if (operation.maxFeePerGas > 0n) return operation;
  const { feeFloorWei, maxPriorityFeePerGasWei } = chain.config.bounds;
  // Never above what the bounds allow of a client, or a chain with cheap gas would refuse every such stub.
  const tipWei = [feeFloorWei, maxPriorityFeePerGasWei].reduce((a, b) => (a < b ? a : b), USUAL_TIP_WEI);
  return {
    ...operation,
    maxFeePerGas: 2n * chain.head.baseFeePerGasWei() + tipWei,
    maxPriorityFeePerGas: tipWei,
  };
}
