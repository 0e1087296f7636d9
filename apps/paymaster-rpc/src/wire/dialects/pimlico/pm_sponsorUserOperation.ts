import type { RpcMethod } from '../../json-rpc/rpc-method';
import type { OperationRequest } from '../../operations/operations.service';
import { paymasterDataResultSchema, presentPaymasterData, type PaymasterDataResult } from '../common/paymaster-data';
import { pimlicoParams } from './params.schema';
import { parsePimlicoRequest } from './parse';

/** The method of Biconomy's clients by the same name, without a mode: the clients copy the answer into the operation. */
export const pmSponsorUserOperation: RpcMethod<OperationRequest, PaymasterDataResult> = {
  name: 'pm_sponsorUserOperation',
  summary: 'Without a mode: the fields of the paymaster and the gas limits, all in hex.',
  params: pimlicoParams,
  result: { name: 'sponsorship', schema: paymasterDataResultSchema },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token'],

  parse: parsePimlicoRequest,

  async answer(request, operations) {
    const sponsorship = await operations.sign(request);
    return presentPaymasterData(sponsorship, sponsorship.limits);
  },

  answeredWith: () => 'granted',
};
