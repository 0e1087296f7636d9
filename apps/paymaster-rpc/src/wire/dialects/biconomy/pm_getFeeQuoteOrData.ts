import type { JsonText } from '../../json-rpc/json-text';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { biconomyParams } from './params.schema';
import { parseBiconomyRequest, type BiconomyRequest } from './parse';
import { pmSponsorUserOperation } from './pm_sponsorUserOperation';
import { presentFeeQuotes } from './present-fee-quotes';
import type { SponsoredResult } from './present-sponsorship';
import { feeQuotesResultSchema, sponsoredResultSchema } from './results.schema';

/** The operation of the interface document, part A: sponsorship at once, or quotes for a payment in tokens. */
export const pmGetFeeQuoteOrData: RpcMethod<BiconomyRequest, SponsoredResult | JsonText> = {
  name: 'pm_getFeeQuoteOrData',
  summary: 'Sponsors a user operation, or prices it in tokens (mode ERC20).',
  params: biconomyParams,
  result: { name: 'sponsorshipOrFeeQuotes', schema: { oneOf: [sponsoredResultSchema, feeQuotesResultSchema] } },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token'],

  parse: parseBiconomyRequest,

  async answer(request, operations) {
    if (request.mode === 'sponsored') return pmSponsorUserOperation.answer(request, operations);
    return presentFeeQuotes(await operations.quote(request));
  },

  answeredWith(request, result) {
    return request.mode === 'token'
      ? 'quoted'
      : pmSponsorUserOperation.answeredWith(request, result as SponsoredResult);
  },
};
