import type { JsonSchema } from '../json-rpc/rpc-method';
import { address, bytes, hexQuantity } from './primitives';

/** The core dialect's sponsored result (interface document, "Sponsored-mode result"). */
export const sponsoredResultSchema: JsonSchema = {
  type: 'object',
  required: ['MODE', 'mode', 'paymasterAndData', 'preVerificationGas', 'verificationGasLimit', 'callGasLimit'],
  properties: {
    MODE: { type: 'string', description: 'the mode requested' },
    mode: { type: 'string', description: 'the same, for clients that read lower case' },
    paymasterAndData: bytes,
    preVerificationGas: { type: 'string', pattern: '^[0-9]+$' },
    verificationGasLimit: { type: 'integer' },
    callGasLimit: { type: 'integer' },
    paymaster: { ...address, description: 'EntryPoint v0.7 and later' },
    paymasterData: { ...bytes, description: 'EntryPoint v0.7 and later' },
    paymasterVerificationGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
    paymasterPostOpGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
  },
};

/** ERC-7677 answers: exactly the standard keys, because clients spread them over the operation. */
export const paymasterDataResultSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    paymasterAndData: { ...bytes, description: 'EntryPoint v0.6' },
    paymaster: { ...address, description: 'EntryPoint v0.7 and later' },
    paymasterData: { ...bytes, description: 'EntryPoint v0.7 and later' },
    paymasterVerificationGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
    paymasterPostOpGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
    callGasLimit: { ...hexQuantity, description: 'only where the limits were asked for' },
    verificationGasLimit: { ...hexQuantity, description: 'only where the limits were asked for' },
    preVerificationGas: { ...hexQuantity, description: 'only where the limits were asked for' },
  },
};
