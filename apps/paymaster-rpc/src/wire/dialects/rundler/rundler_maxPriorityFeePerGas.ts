import type { RpcMethod } from '../../json-rpc/rpc-method';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { hexQuantity } from '../common/primitives';
import { presentFees, suggestedFees } from '../common/suggested-fees';

/** A tip. Alchemy's clients add a third to it. */
export const rundlerMaxPriorityFeePerGas: RpcMethod<PlainRequest, string> = {
  name: 'rundler_maxPriorityFeePerGas',
  summary: 'The tip that an operation can have now; wei per gas.',
  params: [],
  result: { name: 'maxPriorityFeePerGas', schema: hexQuantity },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer: ({ caller }) => presentFees(suggestedFees(caller)).maxPriorityFeePerGas,
};
