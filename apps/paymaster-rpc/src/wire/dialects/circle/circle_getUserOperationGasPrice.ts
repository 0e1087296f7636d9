import type { RpcMethod } from '../../json-rpc/rpc-method';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { presentGasPrices, wireFeeProperties, type WireFees } from '../common/suggested-fees';

type Levels = Readonly<Record<'low' | 'medium' | 'high', WireFees>>;

const fees = { type: 'object', properties: wireFeeProperties } as const;

/** Three prices, by the names of Circle's clients. */
export const circleGetUserOperationGasPrice: RpcMethod<PlainRequest, Levels> = {
  name: 'circle_getUserOperationGasPrice',
  summary: 'Fees that an operation can have now, for three levels.',
  params: [],
  result: {
    name: 'gasPrices',
    schema: {
      title: 'GasPriceLevels',
      type: 'object',
      required: ['low', 'medium', 'high'],
      properties: { low: fees, medium: fees, high: fees },
    },
  },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer({ caller }) {
    const { slow, standard, fast } = presentGasPrices(caller);
    return { low: slow, medium: standard, high: fast };
  },
};
