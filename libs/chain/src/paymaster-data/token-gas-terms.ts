import { ceilDiv, ENTRY_POINTS, max, type ChargingWay, type EntryPointVersion } from '@paymaster/domain';
import { PAYMASTER_GAS_CONSTANTS, TOKEN_GAS_CONSTANTS, type PaymasterGasConstants } from './gas-constants';
import { TOKEN_GAS_PERCENT } from './token-fields';

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
  /** The most gas of the token's call in `postOp`, for which `unaccountedGas` pays. */
  readonly tokenCallGas: bigint;
  /** To sign, where it is above 100: by how much the contract raises its own constants. */
  readonly gasPercent: number;
}

/**
 * Gas limits and `unaccountedGas` of an operation paid in a token: the contract's measured constants and the token's
 * own gas.
 *
 * @param transferGas upper bound on one `transfer` or `transferFrom` of the token ({@link TokenListing})
 * @param tokenCallGas what the token's call in `postOp` was simulated to take, margin included; without it, a bound
 *   computed from `transferGas`: the whole of it for `batchApproval`, because its receiver may be new, and half of it
 *   for a refund
 * @param gasPercent of the constants, where a fork has made gas dearer than when they were measured
 *   ({@link EntryPointConfig}). What is known of the token itself is not raised: a simulation sees the chain's prices,
 *   and `transferGas` is the operator's own
 * @see docs/architecture/paymaster-data.md, `unaccountedGas` in token mode
 */
export function tokenGasTerms({
  version,
  way,
  transferGas,
  gasPercent = TOKEN_GAS_PERCENT.least,
  tokenCallGas = defaultTokenCallGas(way, { transferGas: BigInt(transferGas), gasPercent }),
}: {
  version: EntryPointVersion;
  way: ChargingWay;
  transferGas: number;
  gasPercent?: number | undefined;
  tokenCallGas?: bigint;
}): TokenGasTerms {
  const constants = TOKEN_GAS_CONSTANTS[version];
  const sponsorship = PAYMASTER_GAS_CONSTANTS[version];
  const validationGas =
    raised(constants.tokenValidationGas, gasPercent) +
    (way === 'batchApproval' ? 0n : BigInt(transferGas)) +
    (way === 'permit' ? raised(constants.tokenPermitGas, gasPercent) : 0n);
  const unaccountedGas = raised(constants.tokenPostOpBaseGas, gasPercent) + tokenCallGas;
  const postOpGas = unaccountedGas + ceilDiv(unaccountedGas, CALL_SHARE) + constants.tokenPostOpMargin;
  const signed = { unaccountedGas, tokenCallGas, gasPercent };
  if (ENTRY_POINTS[version].packed)
    return {
      ...signed,
      paymasterVerificationGasLimit: validationGas,
      paymasterPostOpGasLimit: postOpGas,
      addedVerificationGas: 0n,
    };
  const added = validationGas - sponsorship.paymasterVerificationGasLimit;
  return {
    ...signed,
    paymasterVerificationGasLimit: validationGas,
    paymasterPostOpGasLimit: 0n,
    minVerificationGas: postOpGas,
    addedVerificationGas: added > 0n ? added : 0n,
  };
}

function defaultTokenCallGas(
  way: ChargingWay,
  { transferGas, gasPercent }: { transferGas: bigint; gasPercent: number },
): bigint {
  if (way === 'batchApproval') return transferGas;
  return max(ceilDiv(transferGas, 2n), raised(LEAST_REFUND_GAS, gasPercent));
}

/** As the contract raises its own constants, rounded up. */
const raised = (gas: bigint, gasPercent: number): bigint => ceilDiv(gas * BigInt(gasPercent), 100n);
