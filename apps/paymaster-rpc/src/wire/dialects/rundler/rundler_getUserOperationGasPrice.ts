import { toQuantity } from '@paymaster/chain';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { hexQuantity } from '../common/primitives';
import { presentFees, suggestedFees, wireFeeProperties, type WireFees } from '../common/suggested-fees';

interface RundlerGasPrice {
  readonly priorityFee: string;
  readonly baseFee: string;
  readonly suggested: WireFees;
}

/** The fees of the next operation, with what they are made of. */
export const rundlerGetUserOperationGasPrice: RpcMethod<PlainRequest, RundlerGasPrice> = {
  name: 'rundler_getUserOperationGasPrice',
  summary: "Fees that an operation can have now, in the shape of Alchemy's bundler.",
  params: [],
  result: {
    name: 'gasPrice',
    schema: {
      title: 'RundlerGasPrice',
      type: 'object',
      required: ['priorityFee', 'baseFee', 'suggested'],
      properties: {
        priorityFee: hexQuantity,
        baseFee: hexQuantity,
        suggested: { type: 'object', properties: wireFeeProperties },
      },
    },
  },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer({ caller }) {
    const suggested = presentFees(suggestedFees(caller));
    const baseFee = toQuantity(caller.chain.head.baseFeePerGasWei());
    return { priorityFee: suggested.maxPriorityFeePerGas, baseFee, suggested };
  },
};
