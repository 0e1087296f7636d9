import { max, min, type AccountGasLimits, type TraceLine, type UserOperation } from '@paymaster/domain';
import { maxPreVerificationGas, type OwnLimits } from '@paymaster/gas';
import {
  traceIfAllowed,
  checkGasBounds,
  checkOperationCost,
  decodeCalls,
  evaluate,
  handWrittenVerificationGas,
  type DecodeResult,
  type EvaluationInput,
  type SmartAccountInfo,
} from '@paymaster/policy';
import type { Caller } from '../../callers/caller';
import type { AskedOfWallet } from '../../hold/client-ask';
import { askedOfWallet } from '../terms/asked-of-wallet';
import { bundlersCosts, type BundlersCosts } from '../terms/bundlers-costs';
import type { LimitChanges } from './limit-changes';
import type { SponsorTerms } from '../terms/sponsor-terms';

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
export type AccountFacts = Pick<
  EvaluationInput,
  'hasCode' | 'eip7702Delegate' | 'accountImplementation' | 'isPublishedFactory'
>;

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
export function judgeCalls(
  { caller, operation }: Pick<PolicyQuestion, 'caller' | 'operation'>,
  { decoded, accountFacts }: OperationFacts,
): readonly TraceLine[] {
  const { policy } = caller.paymaster;
  const { knownAccounts } = caller.chain;
  return traceIfAllowed(evaluate({ operation, decoded, policy, knownAccounts, ...accountFacts }));
}

/** The calls that the account makes, as far as they are understood. */
export function callsOf({ operation, account }: Omit<PolicyQuestion, 'caller'>): DecodeResult {
  return decodeCalls({
    callData: operation.callData,
    entryPointVersion: operation.entryPointVersion,
    ...(account && { account }),
  });
}

/** An operation whose gas and fees are to be judged. */
export interface GasQuestion {
  readonly caller: Caller;
  readonly operation: UserOperation;
  readonly trace: readonly TraceLine[];
  /** The account function that carries its calls, if that is known. */
  readonly shape?: string | undefined;
  /** The limits are this platform's own, unchanged. */
  readonly isOwnAnswer?: boolean;
}

/** What an operation's limits and fees are compared with. Finding it reads all bytes of the operation. */
export interface ComparedGas {
  readonly bundler: BundlersCosts;
  /** What this platform answered lately for an operation that does the same; undefined where the limits are its own. */
  readonly measured: OwnLimits | undefined;
}

/** Call it once for each operation that is signed. @throws what {@link bundlersCosts} throws */
export function comparedGas(
  question: Pick<GasQuestion, 'caller' | 'operation' | 'isOwnAnswer'>,
  { stub }: Pick<SponsorTerms, 'stub'>,
): ComparedGas {
  const { caller, operation, isOwnAnswer = false } = question;
  const measured = isOwnAnswer ? undefined : caller.chain.ownLimits.of(operation);
  return { bundler: bundlersCosts(question, { stub }), measured };
}

/**
 * Checks gas limits, fees and the most that the operation can cost.
 *
 * @returns what the limits were compared with, and the trace so far
 * @throws {SponsorshipRefusedError} naming the field, its value and the limit
 */
export function judgeCosts(
  gas: GasQuestion,
  cost: Pick<SponsorTerms, 'stub'> & { readonly prechargeWei: bigint },
): { readonly compared: ComparedGas; readonly trace: readonly TraceLine[] } {
  const { caller, operation } = gas;
  const { prechargeWei } = cost;
  const compared = comparedGas(gas, cost);
  const trace = judgeGas(gas, cost, compared);
  return { compared, trace: judgeCost({ caller, operation, prechargeWei, trace }) };
}

/**
 * Checks that gas limits and fees are plausible. Unknown limits are zero and pass. Without an own answer to such an
 * operation that is remembered, `callGasLimit` and `verificationGasLimit` are within the caps of the chain.
 *
 * @param compared with what, where that is known by now
 * @throws {SponsorshipRefusedError} naming the field, its value and the limit
 */
export function judgeGas(
  question: GasQuestion,
  { stub }: Pick<SponsorTerms, 'stub'>,
  { bundler, measured } = comparedGas(question, { stub }),
): readonly TraceLine[] {
  const { caller, operation, trace, shape, isOwnAnswer = false } = question;
  const { head, fees, config } = caller.chain;
  const limits: AccountGasLimits = operation;
  const baseFeePerGas = head.baseFeePerGasWei();
  const plausible = maxPreVerificationGas(bundler.reference) + bundler.highestL1Gas;
  return traceIfAllowed(
    checkGasBounds({
      limits,
      isOwnAnswer,
      measured,
      maxFeePerGas: operation.maxFeePerGas,
      maxPriorityFeePerGas: operation.maxPriorityFeePerGas,
      maxPreVerificationGas: max(plausible, measured?.preVerificationGas ?? 0n),
      handWrittenVerificationGas: handWrittenVerificationGas(shape),
      baseFeePerGas,
      maxPriorityFeePerGasWei: fees.maxPriorityFeePerGasWei(baseFeePerGas),
      allowEqualFees: caller.paymaster.policy.settings.allowEqualFees,
      bounds: config.bounds,
    }),
    trace,
  );
}

/**
 * Reads the chain's tips again where the operation's is above the bound, so that no client is refused for what it saw.
 *
 * @returns undefined where there is nothing to wait for
 */
export function seeTipsOf({ caller, operation }: Pick<GasQuestion, 'caller' | 'operation'>): Promise<void> | undefined {
  const { fees, head } = caller.chain;
  const highestWei = fees.maxPriorityFeePerGasWei(head.baseFeePerGasWei());
  return operation.maxPriorityFeePerGas > highestWei ? fees.readAgain() : undefined;
}

/** What the operation asks of the funding wallet beyond our own answer. */
export function askedOf(
  { caller, operation, isOwnAnswer = false }: Pick<GasQuestion, 'caller' | 'operation' | 'isOwnAnswer'>,
  { constants, feeMarkupMillionths }: Pick<SponsorTerms, 'constants' | 'feeMarkupMillionths'>,
  { bundler: costs, measured }: ComparedGas,
): AskedOfWallet {
  const { head, fees } = caller.chain;
  return askedOfWallet({
    operation,
    constants,
    feeMarkupMillionths,
    costs,
    hasOwnLimits: isOwnAnswer,
    measured,
    baseFeeWei: head.baseFeePerGasWei(),
    marketTipWei: max(fees.marketTipWei(), ownTipWei(operation, fees)),
  });
}

/** Of the operation's tip, what our own answer has: the market's, or what nodes and the bundler ask; wei per gas. */
export function ownTipWei(
  { maxPriorityFeePerGas }: Pick<UserOperation, 'maxPriorityFeePerGas'>,
  fees: Pick<Caller['chain']['fees'], 'marketTipWei' | 'suggestedPriorityFeePerGasWei'>,
): bigint {
  return min(maxPriorityFeePerGas, max(fees.marketTipWei(), fees.suggestedPriorityFeePerGasWei()));
}

/**
 * Checks that the most that the operation can cost is within the cap of one operation.
 *
 * @throws {SponsorshipRefusedError}
 */
export function judgeCost({
  caller,
  operation,
  prechargeWei,
  trace,
}: {
  caller: Caller;
  operation: Pick<UserOperation, 'entryPointVersion'>;
  prechargeWei: bigint;
  trace: readonly TraceLine[];
}): readonly TraceLine[] {
  return traceIfAllowed(
    checkOperationCost({
      prechargeWei,
      maxOperationCostWei: caller.paymaster.snapshot.settings.maxOperationCostWei,
      defaultMaxOperationCostWei: defaultCostCapWei(caller.chain, operation),
    }),
    trace,
  );
}

/**
 * The chain's own cap: an amount of gas at the current price, but never more than the operator's maximum. The precharge of
 * v0.6 has validation three times, so it is half as much again: viem's Coinbase account asks 800,000 for a passkey.
 */
function defaultCostCapWei(
  { head, fees, config }: Caller['chain'],
  { entryPointVersion }: Pick<UserOperation, 'entryPointVersion'>,
): bigint {
  const { defaultMaxOperationGas, defaultMaxOperationCostWei } = config.bounds;
  const baseFeeWei = head.baseFeePerGasWei();
  const priceWei = baseFeeWei + fees.maxPriorityFeePerGasWei(baseFeeWei);
  const capWei = (defaultMaxOperationGas * priceWei * (entryPointVersion === '0.6' ? 3n : 2n)) / 2n;
  return min(capWei, defaultMaxOperationCostWei);
}
