import {
  encodePaymasterAndData,
  encodeStubSponsorData,
  type ChainBounds,
  type PaymasterGasConstants,
  type SponsorFields,
} from '@paymaster/chain';
import {
  byteLength,
  ceilDiv,
  InvalidParamsError,
  isPacked,
  SimulationFailedError,
  type AccountGasLimits,
  type Address,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import type { L1Fees } from '../l1-fees/l1-fees';
import type { BundlerClient } from './bundler-client';
import { gasReference } from './gas-reference';
import type { OperationGas } from './operation-gas';
import { addTokenGas, type TokenEstimation } from './token-head-room';
import type { V06VerificationGas } from './v06-verification-gas';
import { toWireUserOperation, type PaymasterFields } from './wire-user-operation';

/** Percent that are added to the bundler's limits. */
export interface GasMargins {
  /** On v0.7 and later. On v0.6 the bundler's limit is taken as it is. */
  readonly packedVerificationPercent: bigint;
  /**
   * Percent that are added to the measured gas of v0.6 validation. The lower of this and the bundler's limit is signed.
   */
  readonly measuredV06VerificationPercent: bigint;
  readonly callPercent: bigint;
  readonly addedPreVerificationPercent: bigint;
}

/**
 * Small, because bundlers already add their own (alto: 50 % on v0.6 verification, 30 % on v0.7) and because limits
 * are paid for: v0.6 counts the verification limit three times in the prefund, v0.7 bills a tenth of unused call gas.
 * - verification: on v0.6 none on the bundler's limit, see above, and 15 % on our own measurement of it; on later
 *   versions 10 %, for paths that differ a little from the simulated one.
 * - call: 10 %, the state may change until the operation lands.
 * - preVerificationGas: none, because bundlers estimate more than the final bytes cost, and the bundler keeps all of
 *   it. For bytes that the bundler did not see, we add its own margin.
 */
export const DEFAULT_GAS_MARGINS: GasMargins = {
  packedVerificationPercent: 10n,
  measuredV06VerificationPercent: 15n,
  callPercent: 10n,
  addedPreVerificationPercent: 10n,
};

/** An operation whose account limits are wanted. */
export interface EstimationRequest {
  readonly operation: UserOperation;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  /** The fields of the final data; the stub is made from them. */
  readonly sponsor: Pick<SponsorFields, 'fundingWallet' | 'feeMarkupMillionths'>;
  /** The constants of sponsorship mode, also for an operation that is paid in a token. */
  readonly constants: PaymasterGasConstants;
  /**
   * Set in token mode. The bundler estimates the operation as if it were sponsored, because there is no allowance yet;
   * the estimator then adds the gas of the token path.
   */
  readonly token?: TokenEstimation;
  /** Whether its sender pays in a token, also where that gas is added later. */
  readonly isPaidInToken?: boolean;
  /**
   * A signature of nobody that costs as much gas as the dearest real one of this kind of account, except for
   * `unseenGas`. The estimate has it in place of the operation's.
   */
  readonly stubSignature?: { readonly signature: Hex; readonly unseenGas: bigint } | undefined;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number;
}

/** An operation as it is estimated: with a signature of the final's kind, and our sponsorship stub. */
export interface GasQuestion {
  readonly operation: UserOperation;
  readonly entryPoint: Address;
  readonly paymaster: PaymasterFields;
  readonly constants: PaymasterGasConstants;
  /** Whether its sender pays in a token: then the call is simulated once more, without a validation before it. */
  readonly isPaidInToken: boolean;
  readonly deadlineMs?: number | undefined;
}

/** Finds the gas limits of a sponsored operation: a bundler, or this platform's own measurement. */
export interface GasSource {
  /**
   * @returns the three limits, with their margins; gas
   * @throws {SimulationFailedError} when validation or execution fails in simulation
   * @throws {DependencyUnavailableError} naming who cannot be asked
   */
  estimate(question: GasQuestion): Promise<AccountGasLimits>;
}

/** Finds the gas limits of an operation's account: an estimate with our sponsorship stub, plus the gas of token mode. */
export class GasLimitEstimator {
  constructor(
    private readonly source: GasSource,
    private readonly margins: GasMargins = DEFAULT_GAS_MARGINS,
  ) {}

  /**
   * @returns the three limits to sign; gas
   * @throws {InvalidParamsError} naming `signature`, when it is empty and the account's kind is unknown
   * @throws what {@link GasSource.estimate} throws
   */
  async estimateGasLimits(request: EstimationRequest): Promise<AccountGasLimits> {
    const { entryPoint, constants, deadlineMs } = request;
    const operation = withEstimableSignature(request.operation, request.stubSignature?.signature);
    const paymaster: PaymasterFields = {
      paymaster: request.paymaster,
      paymasterData: encodeStubSponsorData({ ...request.sponsor, unaccountedGas: constants.unaccountedGas }),
      paymasterGasLimits: constants,
    };
    const isPaidInToken = request.isPaidInToken === true || request.token !== undefined;
    const question = { operation, entryPoint, paymaster, constants, deadlineMs, isPaidInToken };
    const estimated = await this.source.estimate(question).catch((error: unknown) => {
      // An account that is of no known family may have other signatures of the same form.
      if (!failsInValidation(error) || request.operation.signature === '0x') throw error;
      return this.source.estimate({ ...question, operation: request.operation });
    });
    const { unseenGas = 0n } = request.stubSignature ?? {};
    const limits = { ...estimated, verificationGasLimit: estimated.verificationGasLimit + unseenGas };
    if (!request.token) return limits;
    const sponsorStub = encodePaymasterAndData({ version: operation.entryPointVersion, ...paymaster });
    const percent = this.margins.addedPreVerificationPercent;
    return addTokenGas({ limits, operation, sponsorStub, token: request.token, percent });
  }
}

/** What a bundler says, plus margins. */
export class BundlerGas implements GasSource {
  constructor(
    private readonly bundler: Pick<BundlerClient, 'estimateUserOperationGas'>,
    /** Without it the bundler's v0.6 limit is signed, with all its padding. */
    private readonly v06VerificationGas?: Pick<V06VerificationGas, 'measure'>,
    private readonly margins: GasMargins = DEFAULT_GAS_MARGINS,
  ) {}

  /** @throws what {@link BundlerClient.estimateUserOperationGas} throws */
  async estimate({ operation, entryPoint, paymaster, constants, deadlineMs }: GasQuestion): Promise<AccountGasLimits> {
    const measuring = isPacked(operation)
      ? undefined
      : this.v06VerificationGas?.measure({ operation, entryPoint, paymaster, deadlineMs });
    const wire = toWireUserOperation(operation, paymaster);
    const [estimate, measured] = await Promise.all([
      // It waits for both, because the count of calls under way includes the measurement.
      this.bundler.estimateUserOperationGas(wire, entryPoint, deadlineMs).finally(() => measuring),
      measuring,
    ]);
    return {
      callGasLimit: addPercent(estimate.callGasLimit, this.margins.callPercent),
      verificationGasLimit: isPacked(operation)
        ? addPercent(estimate.verificationGasLimit, this.margins.packedVerificationPercent)
        : this.verificationGasLimitV06(estimate.verificationGasLimit, measured, constants),
      preVerificationGas: estimate.preVerificationGas,
    };
  }

  /** The tighter of the bundler's limit and ours, but never without room for our `postOp`, which it also bounds. */
  private verificationGasLimitV06(
    estimated: bigint,
    measured: bigint | undefined,
    constants: PaymasterGasConstants,
  ): bigint {
    const ours = measured && addPercent(measured, this.margins.measuredV06VerificationPercent);
    return roomForPostOp(ours !== undefined && ours < estimated ? ours : estimated, constants);
  }
}

/**
 * What is added to the measured limits, because state may change before the operation lands (ADR 0022).
 * - verification: ERC-7562 lets nobody else change what it reads, and unused gas of it is not billed.
 * - call: a storage slot that has the value that is written may be zero again. To write it then takes 19,900 gas more
 *   (EIP-2200), and a 64th of that more at each level of calls. Of gas that is not used, EntryPoint v0.7 and later bill
 *   a tenth.
 */
export const MEASURED_MARGINS = {
  verificationPercent: 10n,
  verificationGas: 5_000n,
  callPercent: 5n,
  callGas: 25_000n,
  preVerificationPercent: 10n,
} as const;

/**
 * Gas that is added to the call limit of an operation that pays in tokens. On chain, validation warms the account's own
 * slots and code. The simulation of a token payment does not validate first, so the call finds them cold and needs more
 * gas than on chain. The amount is enough for a Safe with its module, which reads four slots and three contracts.
 */
const COLD_ACCOUNT_GAS = 20_000n;

/** What {@link OperationGas} measures, plus small margins; `preVerificationGas` is computed from the bytes. */
export class MeasuredGas implements GasSource {
  constructor(
    private readonly gas: Pick<OperationGas, 'measure'>,
    private readonly l1Fees: Pick<L1Fees, 'preVerificationGas'>,
    private readonly head: { baseFeePerGasWei(): bigint },
    private readonly bounds: Pick<ChainBounds, 'maxCallGasLimit' | 'maxVerificationGasLimit'>,
  ) {}

  async estimate(question: GasQuestion): Promise<AccountGasLimits> {
    const { operation, entryPoint, paymaster, constants, isPaidInToken, deadlineMs } = question;
    const least = await this.gas.measure({ operation, entryPoint, paymaster, deadlineMs });
    const { verificationPercent, verificationGas, callPercent, callGas } = MEASURED_MARGINS;
    const validation = addPercent(least.verificationGasLimit, verificationPercent) + verificationGas;
    const calls = addPercent(least.callGasLimit, callPercent) + callGas + (isPaidInToken ? COLD_ACCOUNT_GAS : 0n);
    const limits = {
      callGasLimit: least.callGasLimit === 0n ? 0n : atMost(calls, this.bounds.maxCallGasLimit),
      verificationGasLimit: atMost(
        isPacked(operation)
          ? validation
          : roomForPostOp(validation + constants.paymasterVerificationGasLimit, constants),
        this.bounds.maxVerificationGasLimit,
      ),
    };
    const paymasterAndData = encodePaymasterAndData({ version: operation.entryPointVersion, ...paymaster });
    return {
      ...limits,
      preVerificationGas: this.preVerificationGas(
        { ...operation, ...limits, signature: dearestBytes(operation.signature) },
        paymasterAndData,
        constants,
      ),
    };
  }

  /**
   * The exact gas of the transaction that the EntryPoint does not measure, and a margin: bundlers count fields that are
   * not known yet as if all their bits were set, and refuse an operation that pays less. With much call data they count
   * less of the limits as used than we do (EIP-7623), so the result is never below what they ask.
   */
  private preVerificationGas(
    operation: UserOperation,
    paymasterAndData: Hex,
    { paymasterVerificationGasLimit, paymasterPostOpGasLimit }: PaymasterGasConstants,
  ): bigint {
    const paymasterGas = isPacked(operation) ? paymasterVerificationGasLimit + paymasterPostOpGasLimit : 0n;
    const reference = gasReference(operation, paymasterAndData, paymasterGas);
    const { maxFeePerGas, maxPriorityFeePerGas, callGasLimit } = operation;
    const priceWei = this.head.baseFeePerGasWei() + maxPriorityFeePerGas;
    const l1 = this.l1Fees.preVerificationGas({
      ...{ operation, paymasterAndData },
      gasPriceWei: maxFeePerGas < priceWei ? maxFeePerGas : priceWei,
      transactionGas: reference.transactionGas + callGasLimit,
    });
    const spent = addPercent(reference.preVerificationGas, MEASURED_MARGINS.preVerificationPercent);
    return (spent > reference.bundlersGas ? spent : reference.bundlersGas) + l1.expected;
  }
}

function failsInValidation(error: unknown): boolean {
  return error instanceof SimulationFailedError && error.reason === 'VALIDATION_SIMULATION_FAILED';
}

/** A final signature may have no zero byte. */
function dearestBytes(signature: Hex): Hex {
  return `0x${'ff'.repeat(byteLength(signature))}`;
}

function atMost(gas: bigint, most: bigint): bigint {
  return gas < most ? gas : most;
}

/** A verification limit, raised where `postOp` needs more: on v0.6 the limit bounds `postOp` too. */
function roomForPostOp(limit: bigint, { minVerificationGas = 0n }: PaymasterGasConstants): bigint {
  return limit > minVerificationGas ? limit : minVerificationGas;
}

/** The operation with a signature to estimate with. @throws {InvalidParamsError} naming `signature` */
function withEstimableSignature<T extends UserOperation>(operation: T, stubSignature: Hex | undefined): T {
  if (stubSignature) return { ...operation, signature: stubSignature };
  if (operation.signature !== '0x') return operation;
  throw new InvalidParamsError(
    'params[0].signature',
    'params[0].signature is needed to estimate gas: send a stub signature, or name the account in smartAccountInfo',
  );
}

function addPercent(gas: bigint, percent: bigint): bigint {
  return ceilDiv(gas * (100n + percent), 100n);
}
