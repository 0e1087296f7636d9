import { InvalidParamsError, prechargeWei, type AccountGasLimits, type UserOperation } from '@paymaster/domain';
import { dearestSignature, stubSignatureOf, type DearestSignature, type SmartAccountInfo } from '@paymaster/policy';
import type { Caller } from '../../callers/caller';
import { inTurn } from './in-turn';
import { namingContractErrors } from './naming-contract-errors';
import { namingMissingCoins } from './naming-missing-coins';
import type { SponsorTerms } from '../terms/sponsor-terms';

/**
 * The fee must not be zero: such an operation is never included, and all costs are a multiple of the fee. @throws
 * {InvalidParamsError}
 */
export function assertFee({ maxFeePerGas }: UserOperation): void {
  if (maxFeePerGas > 0n) return;
  throw new InvalidParamsError('params[0].maxFeePerGas', 'params[0].maxFeePerGas must be above zero.');
}

/**
 * @throws {InvalidParamsError} when the operation has no fee
 * @throws {DependencyUnavailableError} when the chain is halted, or the contract trusts no signer
 */
export function assertSignable({ chain }: Caller, operation: UserOperation): void {
  chain.head.assertNotHalted();
  chain.signer.assertMember(operation.entryPointVersion);
  assertFee(operation);
}

/** The three limits alone. */
export function pickLimits({
  callGasLimit,
  verificationGasLimit,
  preVerificationGas,
}: AccountGasLimits): AccountGasLimits {
  return { callGasLimit, verificationGasLimit, preVerificationGas };
}

const LIMITS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;

/**
 * The account's limits as they were sent, to be signed unchanged.
 *
 * @throws {InvalidParamsError} naming the limit that is missing, or that is too low for our `postOp` on v0.6
 */
export function sentGasLimits(
  operation: UserOperation,
  { constants }: Pick<SponsorTerms, 'constants'>,
): AccountGasLimits {
  const missing = LIMITS.find((name) => operation[name] === 0n);
  if (missing) {
    const field = `params[0].${missing}`;
    throw new InvalidParamsError(field, `${field} is needed: send it, or calculateGasLimits: true.`);
  }
  assertRoomForPostOp(operation, { constants });
  return operation;
}

/** @throws {InvalidParamsError} naming the limit, when it is too low for our `postOp` on v0.6 */
export function assertRoomForPostOp(
  operation: Pick<AccountGasLimits, 'verificationGasLimit'>,
  { constants }: Pick<SponsorTerms, 'constants'>,
): void {
  const least = constants.minVerificationGas ?? 0n;
  if (operation.verificationGasLimit < least) {
    const field = 'params[0].verificationGasLimit';
    throw new InvalidParamsError(
      field,
      `${field} must be at least ${least}: on EntryPoint v0.6 it also bounds the paymaster's postOp.`,
    );
  }
}

/**
 * The bundler's estimate with our stub, plus margins.
 *
 * @throws what {@link inTurn} and `GasLimitEstimator.estimateGasLimits` throw
 */
export function estimatedGasLimits(input: {
  caller: Caller;
  operation: UserOperation;
  account: SmartAccountInfo | undefined;
  terms: SponsorTerms;
  isPaidInToken?: boolean;
}): Promise<AccountGasLimits> {
  const { caller, operation, account, terms, isPaidInToken = false } = input;
  const estimating = inTurn(caller, () =>
    caller.chain.gas.estimateGasLimits({
      operation,
      entryPoint: terms.entryPoint,
      paymaster: terms.paymaster,
      sponsor: terms,
      constants: terms.constants,
      deadlineMs: caller.deadlineMs,
      isPaidInToken,
      stubSignature: estimableSignature(operation, account),
    }),
  );
  const named = namingMissingCoins({ caller, operation, account }, namingContractErrors(caller, estimating));
  return named.then((limits) => {
    caller.chain.ownLimits.remember(operation, limits);
    return limits;
  });
}

/** The signature to estimate with; undefined where nobody knows a dearer one than the operation's. */
function estimableSignature(
  operation: UserOperation,
  account: SmartAccountInfo | undefined,
): DearestSignature | undefined {
  const { callData } = operation;
  if (operation.signature !== '0x') return dearestSignature(operation);
  const signature = stubSignatureOf(operation, account);
  return signature && (dearestSignature({ signature, callData }) ?? { signature, unseenGas: 0n });
}

/** What the contract will debit in validation; wei. Unknown limits are zero, so the result is a lower bound then. */
export function prechargeOf(
  operation: UserOperation,
  { version, constants, feeMarkupMillionths }: Pick<SponsorTerms, 'version' | 'constants' | 'feeMarkupMillionths'>,
): bigint {
  return prechargeWei({
    version,
    limits: {
      callGasLimit: operation.callGasLimit,
      verificationGasLimit: operation.verificationGasLimit,
      preVerificationGas: operation.preVerificationGas,
      paymasterVerificationGasLimit: constants.paymasterVerificationGasLimit,
      paymasterPostOpGasLimit: constants.paymasterPostOpGasLimit,
    },
    maxFeePerGas: operation.maxFeePerGas,
    unaccountedGas: constants.unaccountedGas,
    feeMarkupMillionths,
  });
}
