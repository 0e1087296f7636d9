import type { JsonSchema } from '../../json-rpc/rpc-method';
import { address, bytes, optionalAddress, optionalBytes, quantity } from './primitives';

/** An address, or the marker of an EIP-7702 delegation (`0x7702`, short or padded). */
const factory: JsonSchema = {
  type: ['string', 'null'],
  pattern: '^0x(?:[0-9a-fA-F]{40}|7702)?$',
  description: 'an address: 0x and 40 hex digits, or 0x7702 for an EIP-7702 delegation',
};

/** As ERC-7769 writes it. */
const authorization: JsonSchema = {
  type: ['object', 'null'],
  description: 'an EIP-7702 authorization: address, chainId, nonce, r, s and yParity',
  required: ['address', 'chainId', 'nonce', 'r', 's', 'yParity'],
  properties: { address, chainId: quantity, nonce: quantity, r: quantity, s: quantity, yParity: quantity },
};

/**
 * A partial user operation of any EntryPoint version. Fields that are not listed are ignored and never signed. The
 * parser finds out the version, and refuses fields of mixed versions.
 */
export function userOperationSchema({ fees }: { fees: 'required' | 'optional' }): JsonSchema {
  return {
    title: fees === 'required' ? 'UserOperation' : 'UserOperationWithoutFees',
    description: 'a user operation object',
    type: 'object',
    required: ['sender', 'nonce', 'callData', ...(fees === 'required' ? ['maxFeePerGas', 'maxPriorityFeePerGas'] : [])],
    properties: {
      sender: address,
      nonce: quantity,
      initCode: optionalBytes,
      factory,
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
      paymasterData: {
        ...optionalBytes,
        description: 'ignored, but for the terms that a stub of EntryPoint v0.9 named: they are signed as they are',
      },
      paymasterSignature: { ...optionalBytes, description: 'EntryPoint v0.9; its bytes are ignored' },
      eip7702Auth: authorization,
      authorization: { ...authorization, description: `${authorization['description']}; as some clients name it` },
    },
  };
}
