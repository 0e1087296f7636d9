import {
  EIP7702_MARKER,
  isPacked,
  type Address,
  type Eip7702Authorization,
  type Hex,
  type PaymasterGasLimits,
  type UserOperation,
  type UserOperationV07,
} from '@paymaster/domain';
import { toQuantity, toWord } from '../json-rpc/parse';
import { encodePaymasterAndData } from '../paymaster-data/encode-paymaster-and-data';
import { toWirePaymasterData } from '../paymaster-data/paymaster-signature';

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

/** Bundlers know the marker of EIP-7702 in its short form, and some in no other. */
function toWireFactory({ factory, factoryData = '0x' }: UserOperationV07): Record<string, Hex> {
  if (!factory) return {};
  return { factory: factory === EIP7702_MARKER ? '0x7702' : factory, factoryData };
}

function toWireAuthorization({ chainId, address, nonce, r, s, yParity }: Eip7702Authorization): Record<string, Hex> {
  return {
    chainId: toQuantity(chainId),
    address,
    nonce: toQuantity(nonce),
    r: toWord(r),
    s: toWord(s),
    yParity: toQuantity(yParity),
  };
}
