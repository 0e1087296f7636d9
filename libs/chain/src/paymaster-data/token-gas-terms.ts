import { ceilDiv, ENTRY_POINTS, type ChargingWay, type EntryPointVersion } from '@paymaster/domain';
import { PAYMASTER_GAS_CONSTANTS, TOKEN_GAS_CONSTANTS, type PaymasterGasConstants } from './gas-constants';

/** A refund writes two balances that validation has warmed: never less than this, however cheap the token; gas. */
const LEAST_REFUND_GAS = 25_000n;
/** A call passes on 63/64 of its gas. This happens twice, for `postOp` and for the token's call. */
const CALL_SHARE = 32n;

/** The gas limits and `unaccountedGas` to sign in token mode; gas. */
export interface TokenGasTerms extends PaymasterGasConstants {
  /**
   * v0.6 only, zero on later versions: the gas that `verificationGasLimit` needs in addition to sponsorship mode, for
   * the pull, the permit and the longer data. Later versions have it in `paymasterVerificationGasLimit`.
   */
  readonly addedVerificationGas: bigint;
}

/**
 * Gas limits and `unaccountedGas` of an operation paid in a token: the contract's measured constants and the token's
 * own gas.
 *
 * @param transferGas upper bound on one `transfer` or `transferFrom` of the token ({@link TokenListing})
 * @param tokenCallGas what the token's call in `postOp` was simulated to take, margin included; without it, a bound
 *   computed from `transferGas`: the whole of it for `batchApproval`, because its receiver may be new, and half of it
 *   for a refund
 * @see docs/architecture/paymaster-data.md, `unaccountedGas` in token mode
 */
export function tokenGasTerms({
  version,
  way,
  transferGas,
  tokenCallGas = defaultTokenCallGas(way, BigInt(transferGas)),
}: {
  version: EntryPointVersion;
  way: ChargingWay;
  transferGas: number;
  tokenCallGas?: bigint;
}): TokenGasTerms {
  const constants = TOKEN_GAS_CONSTANTS[version];
  const sponsorship = PAYMASTER_GAS_CONSTANTS[version];
  const validationGas =
    constants.tokenValidationGas +
    (way === 'batchApproval' ? 0n : BigInt(transferGas)) +
    (way === 'permit' ? constants.tokenPermitGas : 0n);
  const unaccountedGas = constants.tokenPostOpBaseGas + tokenCallGas;
  const postOpGas = unaccountedGas + ceilDiv(unaccountedGas, CALL_SHARE) + constants.tokenPostOpMargin;
  if (ENTRY_POINTS[version].packed)
    return {
      paymasterVerificationGasLimit: validationGas,
      paymasterPostOpGasLimit: postOpGas,
      unaccountedGas,
      addedVerificationGas: 0n,
    };
  const added = validationGas - sponsorship.paymasterVerificationGasLimit;
  return {
    paymasterVerificationGasLimit: validationGas,
    paymasterPostOpGasLimit: 0n,
    unaccountedGas,
    minVerificationGas: postOpGas,
    addedVerificationGas: added > 0n ? added : 0n,
  };
}

function defaultTokenCallGas(way: ChargingWay, transferGas: bigint): bigint {
  if (way === 'batchApproval') return transferGas;
  const half = ceilDiv(transferGas, 2n);
  return half > LEAST_REFUND_GAS ? half : LEAST_REFUND_GAS;
}
