import type { UserOperationReceipt } from '../../../bundlers/receipts';
import type { JsonSchema, RpcMethod } from '../../json-rpc/rpc-method';
import { hashRequest, type HashRequest } from './parse';
import { receiptParams } from './params.schema';

export const receiptSchema: JsonSchema = {
  title: 'UserOperationReceipt',
  type: ['object', 'null'],
  description: 'null while the operation is in no block',
  required: ['userOpHash', 'entryPoint', 'sender', 'nonce', 'success', 'actualGasCost', 'actualGasUsed', 'receipt'],
  properties: { success: { type: 'boolean' }, receipt: { type: 'object' }, logs: { type: 'array' } },
};

/** ERC-7769. If no bundler remembers the operation, as after a restart, the chain is searched. */
export const ethGetUserOperationReceipt: RpcMethod<HashRequest, UserOperationReceipt | null> = {
  name: 'eth_getUserOperationReceipt',
  summary: 'What became of an operation that was sent (ERC-7769).',
  params: receiptParams,
  result: { name: 'receipt', schema: receiptSchema },
  refusals: ['request', 'caller', 'bundlerUse'],

  parse: hashRequest,

  answer: ({ caller, userOpHash }, { bundling }) => bundling.receipt(caller, userOpHash),
};
