import type { RpcMethod } from '../../json-rpc/rpc-method';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import { gasPriceResultSchema, presentGasPrices, type GasPriceResult } from '../common/suggested-fees';

/** Fees for the next operation, never above what this gateway sponsors. */
export const pimlicoGetUserOperationGasPrice: RpcMethod<PlainRequest, GasPriceResult> = {
  name: 'pimlico_getUserOperationGasPrice',
  summary: 'Fees that an operation can have now, for three speeds. The gateway refuses none of them.',
  params: [],
  result: { name: 'gasPrices', schema: gasPriceResultSchema },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer: ({ caller }) => presentGasPrices(caller),
};
