import { ceilDiv, type AccountGasLimits } from '@paymaster/domain';

const DENOMINATOR = 1_000_000n;

/** What a client wants in place of our number: its own, or ours times a factor, rounded up. */
export type LimitChange = { readonly exact: bigint } | { readonly millionths: bigint };

/** What a client changes of an estimate; the bounds of the chain hold for the result as for limits that are sent. */
export type LimitChanges = { readonly [Name in keyof AccountGasLimits]?: LimitChange | undefined };

export function changed(ours: bigint, change: LimitChange | undefined): bigint {
  if (!change) return ours;
  return 'exact' in change ? change.exact : ceilDiv(ours * change.millionths, DENOMINATOR);
}

export function changedLimits(limits: AccountGasLimits, changes: LimitChanges | undefined): AccountGasLimits {
  if (!changes) return limits;
  return {
    callGasLimit: changed(limits.callGasLimit, changes.callGasLimit),
    verificationGasLimit: changed(limits.verificationGasLimit, changes.verificationGasLimit),
    preVerificationGas: changed(limits.preVerificationGas, changes.preVerificationGas),
  };
}
