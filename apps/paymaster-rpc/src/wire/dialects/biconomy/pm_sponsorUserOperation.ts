import type { RpcMethod } from '../../json-rpc/rpc-method';
import { biconomyParams } from './params.schema';
import { namesMode, parseBiconomyRequest, type BiconomyRequest } from './parse';
import { presentSponsorship, UNSPONSORED, type SponsoredResult } from './present-sponsorship';
import { sponsoredResultSchema } from './results.schema';

/** What SDKs call right before they sign the operation, in either mode. */
export const pmSponsorUserOperation = {
  name: 'pm_sponsorUserOperation',
  summary: 'Sponsors a user operation, or lets its sender pay in a token: paymasterAndData and gas limits.',
  params: biconomyParams,
  takes: namesMode,
  result: { name: 'sponsorship', schema: sponsoredResultSchema },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token'],

  parse: parseBiconomyRequest,

  async answer(request, operations) {
    return presentSponsorship(request, await operations.signOrLetUserPay(request));
  },

  answeredWith(_request, { paymasterAndData }) {
    return paymasterAndData === UNSPONSORED ? 'userPays' : 'granted';
  },
} as const satisfies RpcMethod<BiconomyRequest, SponsoredResult>;
