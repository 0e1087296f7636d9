import type { RpcMethod } from '../../json-rpc/rpc-method';
import type { OperationRequest } from '../../operations/operation-request';
import { paymasterDataResultSchema, presentPaymasterData, type PaymasterDataResult } from '../common/paymaster-data';
import { erc7677Params } from './params.schema';
import { parseErc7677Stub } from './parse';

/** ERC-7677: data of the final's length for the client's estimation, checked against the policy, never valid. */
export const pmGetPaymasterStubData: RpcMethod<OperationRequest, PaymasterDataResult> = {
  name: 'pm_getPaymasterStubData',
  summary: 'Paymaster data to estimate gas with (ERC-7677). It can never be submitted.',
  params: erc7677Params('stub'),
  result: { name: 'paymasterStubData', schema: paymasterDataResultSchema },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'token', 'chain'],

  parse: parseErc7677Stub,

  async answer(request, operations) {
    return presentPaymasterData(await operations.stub(request));
  },
};
