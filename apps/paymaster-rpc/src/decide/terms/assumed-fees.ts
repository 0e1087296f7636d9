import { min, type UserOperation } from '@paymaster/domain';
import { highestMaxFeePerGas } from '@paymaster/policy';
import type { Caller } from '../../callers/caller';

/** Wei per gas. */
export type Fees = Pick<UserOperation, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/**
 * The operation of a stub with the fees that it will probably have. The fees that a client sends with a stub are
 * placeholders, so a stub does not check fees; the final call does.
 */
export function withAssumedFees(operation: UserOperation, caller: Pick<Caller, 'chain'>): UserOperation {
  const tipWei = caller.chain.fees.usualPriorityFeePerGasWei();
  return { ...operation, ...feesWithinBounds(caller, { tipWei, baseFeePercent: 200n }) };
}

/**
 * The wanted fees, lowered to what the chain's bounds allow. An operation with the result is never refused for its
 * fees, as long as the chain's fees do not change.
 *
 * @param wanted.tipWei wei per gas
 * @param wanted.baseFeePercent of the base fee, beside the tip; above 100
 */
export function feesWithinBounds(
  { chain: { head, fees, config } }: Pick<Caller, 'chain'>,
  wanted: { readonly tipWei: bigint; readonly baseFeePercent: bigint },
): Fees {
  const baseFeePerGas = head.baseFeePerGasWei();
  const maxPriorityFeePerGas = min(wanted.tipWei, fees.maxPriorityFeePerGasWei(baseFeePerGas));
  const highest = highestMaxFeePerGas({ maxPriorityFeePerGas, baseFeePerGas, bounds: config.bounds });
  const maxFeePerGas = min((baseFeePerGas * wanted.baseFeePercent) / 100n + maxPriorityFeePerGas, highest);
  return { maxFeePerGas, maxPriorityFeePerGas };
}
