import {
  encodePaymasterAndData,
  toQuantity,
  toWireAuthorization,
  toWireFactory,
  toWirePaymasterData,
} from '@paymaster/chain';
import { isPacked, type Address, type Hex, type PaymasterGasLimits, type UserOperation } from '@paymaster/domain';

/** The paymaster's part of an operation that is sent to a bundler. */
export interface PaymasterFields {
  readonly paymaster: Address;
  readonly paymasterData: Hex;
  readonly paymasterGasLimits: PaymasterGasLimits;
}

/** An operation as JSON-RPC carries it. */
export type WireUserOperation = Readonly<Record<string, Hex | Readonly<Record<string, Hex>>>>;

/**
 * An operation for `eth_estimateUserOperationGas`, as ERC-7769 writes it. The account's gas limits are left out:
 * the bundler has to estimate them, and would take zeros as limits.
 */
export function toWireUserOperation(operation: UserOperation, paymaster: PaymasterFields): WireUserOperation {
  const common = {
    sender: operation.sender,
    nonce: toQuantity(operation.nonce),
    callData: operation.callData,
    maxFeePerGas: toQuantity(operation.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(operation.maxPriorityFeePerGas),
    signature: operation.signature,
  };
  if (!isPacked(operation))
    return {
      ...common,
      initCode: operation.initCode,
      paymasterAndData: encodePaymasterAndData({ version: operation.entryPointVersion, ...paymaster }),
    };
  return {
    ...common,
    ...toWireFactory(operation),
    ...(operation.eip7702Auth && { eip7702Auth: toWireAuthorization(operation.eip7702Auth) }),
    paymaster: paymaster.paymaster,
    ...toWirePaymasterData(operation.entryPointVersion, paymaster.paymasterData),
    paymasterVerificationGasLimit: toQuantity(paymaster.paymasterGasLimits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: toQuantity(paymaster.paymasterGasLimits.paymasterPostOpGasLimit),
  };
}
