import type { RpcMethod } from '../../json-rpc/rpc-method';
import { plainRequest, type PlainRequest } from './plain-request';
import { presentFees, suggestedFees, wireFeeProperties, type WireFees } from './suggested-fees';

/** A method that answers one pair of fees, under a vendor's name. */
export function feePair(name: string): RpcMethod<PlainRequest, WireFees> {
  return {
    name,
    summary: 'Fees that an operation can have now. The gateway refuses neither.',
    params: [],
    result: {
      name: 'fees',
      schema: {
        title: 'Fees',
        type: 'object',
        required: ['maxFeePerGas', 'maxPriorityFeePerGas'],
        properties: wireFeeProperties,
      },
    },
    refusals: ['request', 'caller'],

    parse: plainRequest,

    answer: ({ caller }) => presentFees(suggestedFees(caller)),
  };
}
