import type { RpcMethod } from '../../json-rpc/rpc-method';
import { plainRequest, type PlainRequest } from '../common/plain-request';

/** Etherspot's clients ask for fees (`skandha_getGasPrice`) only where this name contains skandha's. */
export const web3ClientVersion: RpcMethod<PlainRequest, string> = {
  name: 'web3_clientVersion',
  summary: 'Says that fees can be asked for as of skandha.',
  params: [],
  result: { name: 'clientVersion', schema: { type: 'string' } },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer: () => 'paymaster/skandha-compatible',
};
