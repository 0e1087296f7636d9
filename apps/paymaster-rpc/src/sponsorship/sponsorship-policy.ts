import { preVerificationGasReference } from '@paymaster/chain';
import type { AccountGasLimits, SmartAccountInfo, TraceLine, UserOperation } from '@paymaster/domain';
import {
  assertAllowed,
  checkGasBounds,
  checkOperationCost,
  decodeCalls,
  evaluate,
  type DecodeResult,
} from '@paymaster/policy';
import type { Caller } from '../callers/caller';
import type { AccountFacts } from './look-at-account';
import type { SponsorTerms } from './sponsor-terms';

/** What the policy is asked about. */
export interface PolicyQuestion {
  readonly caller: Caller;
  readonly operation: UserOperation;
  /** What the client says its account is. */
  readonly account: SmartAccountInfo | undefined;
}

/** What was found out about an operation before the policy is asked. */
export interface OperationFacts {
  /** The calls to judge. */
  readonly decoded: DecodeResult;
  readonly accountFacts: AccountFacts;
}

/**
 * Whether the paymaster sponsors what the operation does.
 *
 * @returns the trace so far
 * @throws {SponsorshipRefusedError}
 */
export function assertSponsored(
  { caller, operation }: Pick<PolicyQuestion, 'caller' | 'operation'>,
  { decoded, accountFacts }: OperationFacts,
): readonly TraceLine[] {
  return assertAllowed(evaluate({ operation, decoded, policy: caller.paymaster.policy, ...accountFacts }));
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
 * Whether gas limits and fees are plausible. Limits that are not known yet are zero and pass.
 *
 * @throws {SponsorshipRefusedError} naming the field
 */
export function assertGasWithinBounds(
  { caller, operation, trace }: { caller: Caller; operation: UserOperation; trace: readonly TraceLine[] },
  terms: Pick<SponsorTerms, 'stub'>,
): readonly TraceLine[] {
  const { head, config } = caller.chain;
  const limits: AccountGasLimits = operation;
  return assertAllowed(
    checkGasBounds({
      limits,
      maxFeePerGas: operation.maxFeePerGas,
      maxPriorityFeePerGas: operation.maxPriorityFeePerGas,
      referencePreVerificationGas: preVerificationGasReference(operation, terms.stub.paymasterAndData),
      baseFeePerGas: head.baseFeePerGasWei(),
      bounds: config.bounds,
    }),
    trace,
  );
}

/**
 * Whether the most that the operation can cost is within the cap of one operation.
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
      defaultMaxOperationCostWei: caller.chain.config.bounds.defaultMaxOperationCostWei,
    }),
    trace,
  );
}
