import type { RpcMethod } from '../../json-rpc/rpc-method';
import { answered, type NestedRequest } from '../common/nested-operation';
import { paymasterDataResultSchema, presentPaymasterData, type PaymasterDataResult } from '../common/paymaster-data';
import { presentFees, wireFeeProperties, type WireFees } from '../common/suggested-fees';
import { zerodevParams } from './params.schema';
import { parseSponsor } from './parse';

/** Everything that the client copies into its operation, including the fees that were signed. */
export const zdSponsorUserOperation: RpcMethod<NestedRequest, PaymasterDataResult & WireFees> = {
  name: 'zd_sponsorUserOperation',
  summary: 'Sponsors an operation, or lets its sender pay in a token; with gas limits and fees.',
  params: zerodevParams('sponsor'),
  result: {
    name: 'sponsorship',
    schema: {
      ...paymasterDataResultSchema,
      title: 'PaymasterDataWithFees',
      properties: { ...(paymasterDataResultSchema['properties'] as object), ...wireFeeProperties },
    },
  },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token', 'chain'],

  parse: parseSponsor,

  async answer(request, operations) {
    const sponsorship = await answered(request, operations.sign(request));
    return { ...presentPaymasterData(sponsorship, sponsorship.limits), ...presentFees(request.operation) };
  },

  answeredWith: () => 'granted',
};
