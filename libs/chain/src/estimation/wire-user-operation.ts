import type { Address, Hex, PaymasterGasLimits, UserOperation } from '@paymaster/domain';
import { toQuantity } from '../json-rpc/parse';
import { encodePaymasterAndData } from '../paymaster-data/encode-paymaster-and-data';

/** The paymaster's part of an operation that is sent to a bundler. */
export interface PaymasterFields {
  readonly paymaster: Address;
  readonly paymasterData: Hex;
  readonly paymasterGasLimits: PaymasterGasLimits;
}

/**
 * An operation for `eth_estimateUserOperationGas`, as ERC-7769 writes it. The account's gas limits are left out:
 * they are what is asked for, and bundlers take zeros at their word.
 */
export function toWireUserOperation(operation: UserOperation, paymaster: PaymasterFields): Record<string, Hex> {
  const common = {
    sender: operation.sender,
    nonce: toQuantity(operation.nonce),
    callData: operation.callData,
    maxFeePerGas: toQuantity(operation.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(operation.maxPriorityFeePerGas),
    signature: operation.signature,
  };
  if (operation.entryPointVersion === '0.6')
    return {
      ...common,
      initCode: operation.initCode,
      paymasterAndData: encodePaymasterAndData({ version: '0.6', ...paymaster }),
    };
  return {
    ...common,
    ...(operation.factory && { factory: operation.factory, factoryData: operation.factoryData ?? '0x' }),
    paymaster: paymaster.paymaster,
    paymasterData: paymaster.paymasterData,
    paymasterVerificationGasLimit: toQuantity(paymaster.paymasterGasLimits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: toQuantity(paymaster.paymasterGasLimits.paymasterPostOpGasLimit),
  };
}
