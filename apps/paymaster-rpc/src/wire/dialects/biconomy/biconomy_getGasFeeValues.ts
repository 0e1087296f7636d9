import type { RpcMethod } from '../../json-rpc/rpc-method';
import { plainRequest, type PlainRequest } from '../common/plain-request';
import {
  gasPriceResultSchema,
  presentGasPrices,
  wireFeeProperties,
  type GasPriceResult,
  type WireFees,
} from '../common/suggested-fees';

/** Version 4 of Biconomy's SDK reads the pair, and its Nexus clients read the three speeds. */
export const biconomyGetGasFeeValues: RpcMethod<PlainRequest, WireFees & GasPriceResult> = {
  name: 'biconomy_getGasFeeValues',
  summary: "Fees that an operation can have now, in the shapes of Biconomy's bundlers of both generations.",
  params: [],
  result: {
    name: 'gasFeeValues',
    schema: {
      ...gasPriceResultSchema,
      title: 'GasFeeValues',
      properties: { ...(gasPriceResultSchema['properties'] as object), ...wireFeeProperties },
    },
  },
  refusals: ['request', 'caller'],

  parse: plainRequest,

  answer({ caller }) {
    const prices = presentGasPrices(caller);
    return { ...prices.standard, ...prices };
  },
};
