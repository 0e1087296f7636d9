import type { RpcMethod } from '../../json-rpc/rpc-method';
import type { NestedRequest } from '../common/nested-operation';
import type { PaymasterDataResult } from '../common/paymaster-data';
import type { WireFees } from '../common/suggested-fees';
import { zdSponsorUserOperation } from '../zerodev/zd_sponsorUserOperation';
import { alchemyParams } from './params.schema';
import { parseAlchemyRequest } from './parse';

/** Fees, gas limits and the paymaster's fields, all in one call. */
export const alchemyRequestGasAndPaymasterAndData: RpcMethod<NestedRequest, PaymasterDataResult & WireFees> = {
  name: 'alchemy_requestGasAndPaymasterAndData',
  summary: 'Sponsors an operation, or lets its sender pay in a token; with gas limits and fees.',
  params: alchemyParams,
  result: zdSponsorUserOperation.result,
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token'],

  parse: parseAlchemyRequest,

  // The clients of both vendors copy the same fields into their operations.
  answer: zdSponsorUserOperation.answer,
  answeredWith: () => 'granted',
};
