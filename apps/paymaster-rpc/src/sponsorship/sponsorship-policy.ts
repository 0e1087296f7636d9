import {
  DEPLOYMENT_GAS,
  gasReference,
  maxPreVerificationGas,
  preVerificationGasBesideCalls,
  unprovenCallGasLimit,
  type CallGasQuestion,
  type GasReference,
} from '@paymaster/chain';
import {
  factoryOf,
  skipsFactoryOfExisting,
  type AccountGasLimits,
  type TraceLine,
  type UserOperation,
} from '@paymaster/domain';
import {
  assertAllowed,
  BUILT_IN_ACCOUNTS,
  checkGasBounds,
  checkOperationCost,
  decodeCalls,
  evaluate,
  type DecodeResult,
  type EvaluationInput,
  type SmartAccountInfo,
} from '@paymaster/policy';
import type { Caller } from '../callers/caller';
import { inTurn } from './in-turn';
import type { LimitChanges } from './limit-changes';
import type { SponsorTerms } from './sponsor-terms';

/** An operation on which the policy decides. */
export interface PolicyQuestion {
  readonly caller: Caller;
  readonly operation: UserOperation;
  /** The kind of account that the client names. */
  readonly account: SmartAccountInfo | undefined;
  /** What the client changes of the limits that are estimated for it. */
  readonly limitChanges?: LimitChanges | undefined;
}

/** Facts of the account that the policy needs besides the operation. */
export type AccountFacts = Pick<EvaluationInput, 'hasCode' | 'eip7702Delegate' | 'accountImplementation'>;

/** What was found out about an operation before the policy is asked. */
export interface OperationFacts {
  /** The calls to check. */
  readonly decoded: DecodeResult;
  readonly accountFacts: AccountFacts;
}

/**
 * Decides whether the paymaster sponsors what the operation does.
 *
 * @returns the trace so far
 * @throws {SponsorshipRefusedError}
 */
export function assertSponsored(
  { caller, operation }: Pick<PolicyQuestion, 'caller' | 'operation'>,
  { decoded, accountFacts }: OperationFacts,
): readonly TraceLine[] {
  const { policy } = caller.paymaster;
  const { knownAccounts } = caller.chain;
  return assertAllowed(evaluate({ operation, decoded, policy, knownAccounts, ...accountFacts }));
}

/** The calls that the account makes, as far as they are understood. */
export function callsOf({ operation, account }: Omit<PolicyQuestion, 'caller'>): DecodeResult {
  return decodeCalls({
    callData: operation.callData,
    entryPointVersion: operation.entryPointVersion,
    ...(account && { account }),
  });
}

/**
 * The least gas that charging in a token takes beside sponsoring: `postOp` alone takes 30,000 (contracts/REPORT.md,
 * gas). Gas.
 */
export const LEAST_TOKEN_GAS = 20_000n;

/** How the operation is paid for. */
export interface PaymentTerms extends Pick<SponsorTerms, 'stub'> {
  /** {@link LEAST_TOKEN_GAS} where the sender pays in a token. */
  readonly leastTokenGas?: bigint;
}

/** The least gas that the bundler of an operation has to pay for, whatever the operation does. */
export interface BundlersCosts {
  readonly reference: GasReference;
  /** The most gas that bundlers ask honest clients to pay for L1 data; zero if the chain is not a rollup. */
  readonly l1Gas: bigint;
}

/**
 * Counts the operation's bytes, so call it once for each operation that is signed.
 *
 * @param question.accountFacts without them, a deployment counts as the cheapest that there can be
 * @param question.decoded without it, the calls count as if they took no gas to set the account up
 * @throws {DependencyUnavailableError} `chain`, when it is a rollup whose L1 data fee is not known
 */
export function bundlersCosts(
  { caller, operation, accountFacts, decoded }: Pick<PolicyQuestion, 'caller' | 'operation'> & Partial<OperationFacts>,
  { stub, leastTokenGas = 0n }: PaymentTerms,
): BundlersCosts {
  const { head, l1Fees, config } = caller.chain;
  const { paymasterAndData } = stub;
  const { maxFeePerGas, maxPriorityFeePerGas, callGasLimit } = operation;
  const sponsored = gasReference(operation, paymasterAndData, paymasterGasOf(stub));
  const deploymentGas = accountFacts && knownDeploymentGas({ caller, operation, accountFacts });
  const setupGas = deploymentGas !== undefined && decoded?.understood ? (decoded.setupGas ?? 0n) : 0n;
  const leastTransactionGas = sponsored.leastTransactionGas + leastTokenGas + (deploymentGas ?? 0n) + setupGas;
  const reference = { ...sponsored, leastTransactionGas, leastCallGas: setupGas };
  const priceWei = head.baseFeePerGasWei() + maxPriorityFeePerGas;
  const gasPriceWei = maxFeePerGas < priceWei ? maxFeePerGas : priceWei;
  // The calls set the account up, so their limit contains that gas.
  const transactionGas = leastTransactionGas - setupGas + callGasLimit;
  const request = { operation, paymasterAndData, gasPriceWei, transactionGas };
  const { expected, highest } = l1Fees.preVerificationGas(request);
  const byOperator = (expected * config.bounds.maxBundlerReturnPercent) / 100n;
  return { reference, l1Gas: highest > byOperator ? highest : byOperator };
}

/**
 * Checks that gas limits and fees are plausible. Unknown limits are zero and pass.
 *
 * @param question.accountFacts without them, and without `costs`, a deployment counts as the cheapest that there can be
 * @param costs of the operation, where they are known by now
 * @param justifiedCallGasLimit the gas that the calls justify, from {@link justifiedCallGas}; without it only the bound
 *   of the chain holds
 * @param provenGas from {@link provenGas}; without it, the bundler counts as one who sends the whole call data in his
 *   transaction
 * @throws {SponsorshipRefusedError} naming the field, its value and the limit
 */
export function assertGasWithinBounds(
  {
    caller,
    operation,
    accountFacts,
    trace,
    justifiedCallGasLimit,
    provenGas,
  }: {
    caller: Caller;
    operation: UserOperation;
    accountFacts?: AccountFacts | undefined;
    trace: readonly TraceLine[];
    justifiedCallGasLimit?: bigint | undefined;
    provenGas?: bigint | undefined;
  },
  terms: PaymentTerms,
  costs = bundlersCosts({ caller, operation, accountFacts }, terms),
): readonly TraceLine[] {
  const { head, fees, config } = caller.chain;
  const limits: AccountGasLimits = operation;
  const baseFeePerGas = head.baseFeePerGasWei();
  const asked = {
    maxPreVerificationGas: maxPreVerificationGas(costs.reference, config.bounds, provenGas) + costs.l1Gas,
    justifiedCallGasLimit,
  };
  const isCallGasJustified = justifiedCallGasLimit === undefined || operation.callGasLimit <= justifiedCallGasLimit;
  const gas = isCallGasJustified ? asked : reachableGas({ caller, operation, stub: terms.stub, gas: asked }, costs);
  return assertAllowed(
    checkGasBounds({
      limits,
      maxFeePerGas: operation.maxFeePerGas,
      maxPriorityFeePerGas: operation.maxPriorityFeePerGas,
      maxPreVerificationGas: gas.maxPreVerificationGas,
      justifiedCallGasLimit: gas.justifiedCallGasLimit,
      baseFeePerGas,
      maxPriorityFeePerGasWei: fees.maxPriorityFeePerGasWei(baseFeePerGas),
      allowEqualFees: caller.paymaster.policy.settings.allowEqualFees,
      bounds: config.bounds,
    }),
    trace,
  );
}

interface GasToName {
  readonly maxPreVerificationGas: bigint;
  readonly justifiedCallGasLimit: bigint | undefined;
}

/**
 * The limits that the refusal names when `callGasLimit` is too high together with this `preVerificationGas`: both use
 * up what the bundler may keep. If a lower `preVerificationGas` solves it and honest bundlers accept that value, the
 * refusal names it. Otherwise the refusal names the highest `callGasLimit` that is possible with the given
 * `preVerificationGas`. So a client that asks again with the named limit gets a signature, and no refusal names a limit
 * of 0. One of the two limits is always below what the client asked for.
 */
function reachableGas(
  { caller, operation, stub, gas }: { gas: GasToName; caller: Caller; operation: UserOperation } & PaymentTerms,
  { reference, l1Gas }: BundlersCosts,
): GasToName {
  const { paymasterPostOpGasLimit } = stub.paymasterGasLimits;
  const terms = { paymasterPostOpGasLimit, percent: caller.chain.config.bounds.maxBundlerReturnPercent };
  const besideCalls = preVerificationGasBesideCalls(operation, reference, terms);
  if (besideCalls >= reference.preVerificationGas) {
    return {
      maxPreVerificationGas: min(
        gas.maxPreVerificationGas,
        min(besideCalls + l1Gas, operation.preVerificationGas - 1n),
      ),
      justifiedCallGasLimit: undefined,
    };
  }
  const preVerificationGas = min(operation.preVerificationGas - l1Gas, reference.preVerificationGas);
  const ofHonest = unprovenCallGasLimit({ ...operation, preVerificationGas }, reference, terms);
  const { justifiedCallGasLimit = 0n } = gas;
  return {
    ...gas,
    justifiedCallGasLimit: min(max(justifiedCallGasLimit, ofHonest ?? 0n), operation.callGasLimit - 1n),
  };
}

/**
 * The highest `callGasLimit` of a sponsored operation. For any account it is the limit that brings its bundler hardly
 * anything if the calls use no gas. For an account whose code is known to make its calls, it is the measured gas of
 * these calls, if that is more. Waits for the chain only if neither the first number nor remembered measurements
 * suffice.
 *
 * @returns gas; undefined where the EntryPoint does not charge for unused gas
 * @throws {DependencyUnavailableError} `chain`
 */
export function justifiedCallGas(
  { caller, operation, decoded, accountFacts }: { caller: Caller; operation: UserOperation } & OperationFacts,
  { constants }: Pick<SponsorTerms, 'constants'>,
  { reference, l1Gas }: BundlersCosts,
): bigint | undefined | Promise<bigint | undefined> {
  const { callGas, config } = caller.chain;
  const { paymasterPostOpGasLimit } = constants;
  const ofL2 = { ...operation, preVerificationGas: operation.preVerificationGas - l1Gas };
  const unproven = unprovenCallGasLimit(ofL2, reference, {
    paymasterPostOpGasLimit,
    percent: config.bounds.maxBundlerReturnPercent,
  });
  if (unproven === undefined || operation.callGasLimit <= unproven || !decoded.understood) return unproven;
  const setupGas = reference.leastCallGas;
  const remembered = callGas.known(askedOf({ caller, operation, calls: decoded, setupGas }));
  const isKnown = makesItsCalls({ caller, operation, accountFacts });
  if (isKnown === true && remembered !== undefined && operation.callGasLimit <= remembered) return remembered;
  return measuredCallGas({ caller, operation, calls: decoded, setupGas, isKnown }, { remembered, unproven });
}

/**
 * The least gas that the calls of a sponsored operation certainly take, besides setting the account up. It matters only
 * if the call data is so large that a bundler would gain by letting a contract make it. Waits for the chain only in that
 * case, and only if the remembered measurements do not suffice.
 *
 * @returns gas
 * @throws {DependencyUnavailableError} `chain`
 */
export function provenGas(
  { caller, operation, decoded, accountFacts }: { caller: Caller; operation: UserOperation } & OperationFacts,
  { reference, l1Gas }: BundlersCosts,
): bigint | Promise<bigint> {
  const { bounds } = caller.chain.config;
  const most = maxPreVerificationGas(reference, bounds, 0n) + l1Gas;
  if (operation.preVerificationGas <= most || reference.inflatableGas === 0n || !decoded.understood) return 0n;
  const isKnown = makesItsCalls({ caller, operation, accountFacts });
  return knownCallGas({ caller, operation, calls: decoded, isKnown });
}

/**
 * The least gas that counts for a deployment by a factory that the platform knows, unless the factory's own least is
 * known. Of the published contracts SimpleAccount's factories were measured to take 137,000 to 262,000, Coinbase's
 * 113,716, and Kernel 3.3's, which is the cheapest, 100,219. So a bundler of a new Kernel may get 7 % of 32,000 gas too
 * much, about 1 % of what he spends; he stays below 1.10 times. The factories of the operator's list were not measured.
 */
const LEAST_DEPLOYMENT_GAS = 132_000n;

/**
 * Gas that a deployment certainly takes beyond what every deployment takes.
 *
 * @returns undefined unless the operation certainly deploys an account of a factory that the platform itself knows
 */
function knownDeploymentGas({ caller, operation, accountFacts }: AccountQuestion): bigint | undefined {
  const deployment = factoryOf(operation);
  if (!deployment || accountFacts.eip7702Delegate || skipsFactoryOfExisting(operation.entryPointVersion)) return;
  const known = BUILT_IN_ACCOUNTS.factories.get(deployment.factory);
  if (!known || caller.paymaster.policy.settings.allowUnknownFactories) return;
  return (known.leastGas?.(deployment.factoryData.slice(2)) ?? LEAST_DEPLOYMENT_GAS) - DEPLOYMENT_GAS;
}

async function knownCallGas({ isKnown, ...question }: MeasuredQuestion): Promise<bigint> {
  if (!(await isKnown)) return 0n;
  const { caller, operation } = question;
  const { callGas } = caller.chain;
  const asked = askedOf(question);
  if (callGas.used(asked) === undefined) await measured(question);
  const used = callGas.used(asked) ?? 0n;
  return used < operation.callGasLimit ? used : operation.callGasLimit;
}

/** Whether the account makes its calls as they are decoded, even if its owner wants something else when it lands. */
function makesItsCalls({ caller, operation, accountFacts }: AccountQuestion): boolean | Promise<boolean> {
  // Both were checked before: the owner's policies list the delegate, and the factory is known.
  if (accountFacts.eip7702Delegate) return true;
  if (factoryOf(operation)) return !caller.paymaster.policy.settings.allowUnknownFactories;
  if (accountFacts.accountImplementation) return accountFacts.accountImplementation.known;
  return caller.chain.accounts.implementationOf(operation.sender, caller).then(({ known }) => known);
}

interface AccountQuestion {
  readonly caller: Caller;
  readonly operation: UserOperation;
  readonly accountFacts: AccountFacts;
}

interface MeasuredQuestion {
  readonly caller: Caller;
  readonly operation: UserOperation;
  readonly calls: Extract<DecodeResult, { understood: true }>;
  readonly setupGas?: bigint | undefined;
  readonly isKnown: boolean | Promise<boolean>;
}

async function measuredCallGas(
  { isKnown, ...question }: MeasuredQuestion,
  { remembered, unproven }: { remembered: bigint | undefined; unproven: bigint },
): Promise<bigint> {
  if (!(await isKnown)) return unproven;
  if (remembered !== undefined && question.operation.callGasLimit <= remembered) return remembered;
  const limit = await measured(question);
  return limit !== undefined && limit > unproven ? limit : unproven;
}

function measured(question: Omit<MeasuredQuestion, 'isKnown'>): Promise<bigint | undefined> {
  const { caller } = question;
  const { chain } = caller;
  const measure = () => chain.callGas.measure(askedOf(question), chain.config.bounds.maxCallGasLimit);
  return caller.span.call('measure').until(inTurn(caller, measure));
}

function askedOf({
  caller: { deadlineMs },
  operation: { sender },
  calls: { shape, calls },
  setupGas,
}: Omit<MeasuredQuestion, 'isKnown'>): CallGasQuestion {
  return { sender, shape, calls, setupGas, deadlineMs };
}

function paymasterGasOf({ paymasterGasLimits }: SponsorTerms['stub']): bigint {
  return paymasterGasLimits.paymasterVerificationGasLimit + paymasterGasLimits.paymasterPostOpGasLimit;
}

/**
 * Checks that the most that the operation can cost is within the cap of one operation.
 *
 * @throws {SponsorshipRefusedError}
 */
export function assertCostWithinCap({
  caller,
  prechargeWei,
  trace,
}: {
  caller: Caller;
  prechargeWei: bigint;
  trace: readonly TraceLine[];
}): readonly TraceLine[] {
  return assertAllowed(
    checkOperationCost({
      prechargeWei,
      maxOperationCostWei: caller.paymaster.snapshot.settings.maxOperationCostWei,
      defaultMaxOperationCostWei: defaultCostCapWei(caller.chain),
    }),
    trace,
  );
}

/** The chain's own cap: an amount of gas at the current price, but never more than the operator's maximum. */
function defaultCostCapWei({ head, fees, config }: Caller['chain']): bigint {
  const { defaultMaxOperationGas, defaultMaxOperationCostWei } = config.bounds;
  const baseFeeWei = head.baseFeePerGasWei();
  const capWei = defaultMaxOperationGas * (baseFeeWei + fees.maxPriorityFeePerGasWei(baseFeeWei));
  return capWei < defaultMaxOperationCostWei ? capWei : defaultMaxOperationCostWei;
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
