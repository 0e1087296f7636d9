import { ENTRY_POINTS, type EntryPointVersion } from './entry-point';
import type { AccountGasLimits, PaymasterGasLimits } from './user-operation';

/** `feeMarkup` is in millionths: 1_000_000 charges exactly the cost. */
export const FEE_MARKUP_DENOMINATOR = 1_000_000n;

/** Division rounded up. Both arguments non-negative, `divisor` positive. */
export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** The larger of two amounts of the same unit. */
export const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);

export const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/**
 * Gas the EntryPoint reserves from the paymaster's deposit before it runs the operation.
 * v0.6 counts the verification limit three times, because it also bounds up to two `postOp` calls.
 */
export function prefundGas(version: EntryPointVersion, limits: AccountGasLimits & PaymasterGasLimits): bigint {
  const { callGasLimit, verificationGasLimit, preVerificationGas } = limits;
  const { packed, verificationGasTimes } = ENTRY_POINTS[version];
  const ofAccount = callGasLimit + verificationGasTimes * verificationGasLimit + preVerificationGas;
  return packed ? ofAccount + limits.paymasterVerificationGasLimit + limits.paymasterPostOpGasLimit : ofAccount;
}

/**
 * What the contract debits from the funding wallet in validation, and what the gateway checks first:
 * `ceil((prefund + U * maxFee) * markup / 1e6)` wei, rounded up, never in the attacker's favour.
 *
 * @see docs/architecture/paymaster-data.md, "Money". Proven equal to the contract by the encoder test.
 */
export function prechargeWei(input: {
  version: EntryPointVersion;
  limits: AccountGasLimits & PaymasterGasLimits;
  maxFeePerGas: bigint;
  /** U: gas the EntryPoint may take after it measured `actualGasCost`. */
  unaccountedGas: bigint;
  feeMarkupMillionths: bigint;
}): bigint {
  const costWei = (prefundGas(input.version, input.limits) + input.unaccountedGas) * input.maxFeePerGas;
  return ceilDiv(costWei * input.feeMarkupMillionths, FEE_MARKUP_DENOMINATOR);
}
