import type { JsonSchema, ParamDocument } from '../../json-rpc/rpc-method';
import { address, bytes, quantity } from '../common/primitives';
import { userOperationSchema } from '../common/user-operation.schema';

const optionalQuantity: JsonSchema = { ...quantity, type: ['string', 'integer', 'null'] };

/** An operation with its paymaster's fields. Absent fields may be null. */
function completeOperation({ isSent }: { isSent: boolean }): JsonSchema {
  const schema = userOperationSchema({ fees: isSent ? 'required' : 'optional' });
  return {
    ...schema,
    title: isSent ? 'SentUserOperation' : 'UserOperationToEstimate',
    required: [...(schema['required'] as string[]), ...(isSent ? ['signature'] : [])],
    properties: {
      ...(schema['properties'] as object),
      paymasterData: { ...bytes, type: ['string', 'null'] },
      paymasterSignature: { ...bytes, type: ['string', 'null'] },
      paymasterVerificationGasLimit: optionalQuantity,
      paymasterPostOpGasLimit: optionalQuantity,
    },
  };
}

const entryPoint: ParamDocument = { name: 'entryPoint', required: true, schema: address };

/** `[userOp, entryPoint]`. Biconomy's clients send a third element. It is not passed on, because bundlers refuse it. */
export const sendParams: readonly ParamDocument[] = [
  { name: 'userOperation', required: true, schema: completeOperation({ isSent: true }) },
  entryPoint,
  {
    name: 'options',
    required: false,
    schema: { type: ['object', 'null'], description: "an object, which is ignored (Biconomy's simulation_type)" },
  },
];

export const estimateParams: readonly ParamDocument[] = [
  { name: 'userOperation', required: true, schema: completeOperation({ isSent: false }) },
  entryPoint,
  {
    name: 'stateOverrides',
    required: false,
    schema: {
      type: ['object', 'null'],
      maxProperties: 32,
      description: 'state overrides by address; only a bundler can apply them',
    },
  },
];

export const userOpHash: ParamDocument = {
  name: 'userOpHash',
  required: true,
  schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: 'a hash: 0x and 64 hex digits' },
};

/** `[userOpHash]`, and a block tag that rundler's clients send; it is ignored. */
export const receiptParams: readonly ParamDocument[] = [
  userOpHash,
  { name: 'tag', required: false, schema: { type: ['string', 'null'], description: 'a block tag, which is ignored' } },
];
