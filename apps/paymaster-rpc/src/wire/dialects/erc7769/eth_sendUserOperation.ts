import type { Hex } from '@paymaster/domain';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { bundlerRequest, type BundlerRequest } from './parse';
import { sendParams } from './params.schema';

/** ERC-7769: sends an operation to the operator's bundlers. The same operation sent again has the same answer. */
export const ethSendUserOperation: RpcMethod<BundlerRequest, Hex> = {
  name: 'eth_sendUserOperation',
  summary: "Sends an operation to the operator's bundlers (ERC-7769).",
  params: sendParams,
  result: { name: 'userOpHash', schema: { type: 'string', pattern: '^0x[0-9a-f]{64}$' } },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'bundlerUse', 'bundler'],

  parse: bundlerRequest,

  answer: ({ caller, complete }, { bundling }) => bundling.send(caller, complete),
};
