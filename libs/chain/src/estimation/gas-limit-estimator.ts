import {
  ceilDiv,
  type AccountGasLimits,
  type Address,
  type EntryPointVersion,
  type SmartAccountInfo,
  type UserOperation,
} from '@paymaster/domain';
import { encodeStubSponsorData } from '../paymaster-data/stub';
import type { SponsorFields } from '../paymaster-data/sponsor-fields';
import { withEstimableSignature } from './account-stub-signature';
import type { BundlerClient } from './bundler-client';
import type { PaymasterGasConstants } from './paymaster-gas-constants';
import { toWireUserOperation } from './wire-user-operation';

/** Percent added to what the bundler says. */
export interface GasMargins {
  readonly verificationPercent: Readonly<Record<EntryPointVersion, bigint>>;
  readonly callPercent: bigint;
  readonly preVerificationPercent: bigint;
}

/**
 * Small, because bundlers already add their own (alto: 50 % on v0.6 verification, 30 % on v0.7) and because limits
 * are paid for: v0.6 counts the verification limit three times in the prefund, v0.7 bills a tenth of unused call gas.
 * - verification: none on v0.6, see above; 10 % later, for storage that other operations have meanwhile made cold.
 * - call: 10 %, the state may change until the operation lands.
 * - preVerificationGas: 5 %, a bundler recomputes it with the final bytes and refuses what is a little too low.
 */
export const DEFAULT_GAS_MARGINS: GasMargins = {
  verificationPercent: { '0.6': 0n, '0.7': 10n, '0.8': 10n },
  callPercent: 10n,
  preVerificationPercent: 5n,
};

/** An operation whose account limits are wanted. */
export interface EstimationRequest {
  readonly operation: UserOperation;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  /** Of the final data; the stub is made from them. */
  readonly sponsor: Pick<SponsorFields, 'fundingWallet' | 'feeMarkupMillionths'>;
  readonly constants: PaymasterGasConstants;
  /** Tells the stub signature, where the operation has none. */
  readonly smartAccount?: SmartAccountInfo;
}

/** Finds the account's gas limits of a sponsored operation: the bundler's estimate with our stub, plus margins. */
export class GasLimitEstimator {
  constructor(
    private readonly bundler: Pick<BundlerClient, 'estimateUserOperationGas'>,
    private readonly margins: GasMargins = DEFAULT_GAS_MARGINS,
  ) {}

  /**
   * @returns the three limits to sign; gas
   * @throws {InvalidParamsError} naming `signature`, when it is empty and the account's kind is unknown
   * @throws what {@link BundlerClient.estimateUserOperationGas} throws
   */
  async estimateGasLimits(request: EstimationRequest): Promise<AccountGasLimits> {
    const { operation, constants } = request;
    const stub = encodeStubSponsorData({ ...request.sponsor, unaccountedGas: constants.unaccountedGas });
    const wire = toWireUserOperation(withEstimableSignature(operation, request.smartAccount), {
      paymaster: request.paymaster,
      paymasterData: stub,
      paymasterGasLimits: constants,
    });
    const estimate = await this.bundler.estimateUserOperationGas(wire, request.entryPoint);
    return this.withMargins(operation.entryPointVersion, estimate, constants);
  }

  private withMargins(
    version: EntryPointVersion,
    estimate: AccountGasLimits,
    constants: PaymasterGasConstants,
  ): AccountGasLimits {
    const verificationGasLimit = addPercent(estimate.verificationGasLimit, this.margins.verificationPercent[version]);
    const leastForPostOp = version === '0.6' ? (constants.minVerificationGas ?? 0n) : 0n;
    return {
      callGasLimit: addPercent(estimate.callGasLimit, this.margins.callPercent),
      verificationGasLimit: verificationGasLimit > leastForPostOp ? verificationGasLimit : leastForPostOp,
      preVerificationGas: addPercent(estimate.preVerificationGas, this.margins.preVerificationPercent),
    };
  }
}

function addPercent(gas: bigint, percent: bigint): bigint {
  return ceilDiv(gas * (100n + percent), 100n);
}
