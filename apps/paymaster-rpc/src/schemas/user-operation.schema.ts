import type { JsonSchema } from '../json-rpc/rpc-method';
import { address, bytes, optionalAddress, optionalBytes, quantity } from './primitives';

/**
 * A partial user operation of any EntryPoint version. Fields of other clients that are not listed are ignored and
 * never signed; which version it is, and what must not be mixed, is the parser's business.
 */
export function userOperationSchema({ fees }: { fees: 'required' | 'optional' }): JsonSchema {
  return {
    title: 'UserOperation',
    description: 'a user operation object',
    type: 'object',
    required: ['sender', 'nonce', 'callData', ...(fees === 'required' ? ['maxFeePerGas', 'maxPriorityFeePerGas'] : [])],
    properties: {
      sender: address,
      nonce: quantity,
      initCode: optionalBytes,
      factory: optionalAddress,
      factoryData: optionalBytes,
      callData: bytes,
      callGasLimit: quantity,
      verificationGasLimit: quantity,
      preVerificationGas: quantity,
      maxFeePerGas: quantity,
      maxPriorityFeePerGas: quantity,
      signature: optionalBytes,
      paymasterAndData: optionalBytes,
      paymaster: optionalAddress,
      paymasterData: optionalBytes,
    },
  };
}
