import type { RpcMethod } from '../../json-rpc/rpc-method';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { hexQuantity } from '../common/primitives';

/** The chain of the caller's paymaster. */
export const pmChainId: RpcMethod<PlainRequest, string> = {
  name: 'pm_chainId',
  summary: 'The chain id of the paymaster that the API key belongs to.',
  params: [],
  result: { name: 'chainId', schema: hexQuantity },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer({ caller }) {
    return `0x${caller.chain.config.chainId.toString(16)}`;
  },
};
