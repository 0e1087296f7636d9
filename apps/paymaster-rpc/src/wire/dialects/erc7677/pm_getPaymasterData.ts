import type { RpcMethod } from '../../json-rpc/rpc-method';
import {
  paymasterDataResultSchema,
  presentPaymasterData,
  signatureInData,
  type PaymasterDataResult,
} from '../common/paymaster-data';
import { erc7677Params } from './params.schema';
import { parseErc7677Request, type Erc7677Request } from './parse';

/**
 * ERC-7677: the signed data. The client's limits are signed as they are. If a limit is zero or absent and the context
 * asks for `calculateGasLimits`, the gateway estimates all limits, signs them and returns them.
 */
export const pmGetPaymasterData: RpcMethod<Erc7677Request, PaymasterDataResult> = {
  name: 'pm_getPaymasterData',
  summary: 'Signed paymaster data (ERC-7677).',
  params: erc7677Params('data'),
  result: { name: 'paymasterData', schema: paymasterDataResultSchema },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token', 'chain'],

  parse: parseErc7677Request,

  async answer(request, operations) {
    const sponsorship = await operations.sign(request);
    const data = presentPaymasterData(sponsorship, request.calculateGasLimits ? sponsorship.limits : undefined);
    return request.wantsSignatureInData ? signatureInData(data) : data;
  },

  answeredWith: () => 'granted',
};
