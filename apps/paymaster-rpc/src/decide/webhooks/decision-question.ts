import { factoryOf, isPacked, type AccountGasLimits, type UserOperation } from '@paymaster/domain';
import type { InnerCall } from '@paymaster/policy';

/** The client's data for the owner's server: passed on unchanged, never read. */
export interface WebhookData {
  readonly value: unknown;
  /** The field of the request, for errors. */
  readonly field: string;
}

/** The operation about which the owner's server is asked. */
export interface DecisionQuestion {
  readonly webhookData: WebhookData | undefined;
  /** With the limits that will be signed. */
  readonly operation: UserOperation;
  readonly calls: readonly InnerCall[];
  /** The most the operation can cost. */
  readonly prechargeWei: bigint;
  /** The same in USD with 6 decimals, rounded up; undefined where the chain has no price. */
  readonly prechargeMicroUsd: bigint | undefined;
}

/** The body of a decision webhook (docs/architecture/webhooks.md): `data` and `userOp` as receivers know them. */
export function presentQuestion({ webhookData, operation, calls, prechargeWei, prechargeMicroUsd }: DecisionQuestion) {
  return {
    data: webhookData?.value ?? {},
    userOp: presentOperation(operation),
    decodedCalls: calls.map(({ to, valueWei, selector }) => ({
      to,
      valueWei: valueWei.toString(),
      selector: selector ?? null,
    })),
    costWei: prechargeWei.toString(),
    costUsd: prechargeMicroUsd === undefined ? null : usdText(prechargeMicroUsd),
  };
}

/**
 * Gas and fees are decimal text and the nonce is hex, because existing receivers of the hosted service parse these
 * forms.
 */
function presentOperation(operation: UserOperation): Record<string, string> {
  const common = {
    sender: operation.sender,
    nonce: `0x${operation.nonce.toString(16)}`,
    callData: operation.callData,
    ...limitsOf(operation),
    maxFeePerGas: operation.maxFeePerGas.toString(),
    maxPriorityFeePerGas: operation.maxPriorityFeePerGas.toString(),
    signature: operation.signature,
  };
  if (!isPacked(operation)) {
    return { ...common, initCode: operation.initCode, paymasterAndData: '0x' };
  }
  return { ...common, ...factoryOf(operation) };
}

function limitsOf({ callGasLimit, verificationGasLimit, preVerificationGas }: AccountGasLimits) {
  return {
    callGasLimit: callGasLimit.toString(),
    verificationGasLimit: verificationGasLimit.toString(),
    preVerificationGas: preVerificationGas.toString(),
  };
}

function usdText(microUsd: bigint): string {
  const digits = microUsd.toString().padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
