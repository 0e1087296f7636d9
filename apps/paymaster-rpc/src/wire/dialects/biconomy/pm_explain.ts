import { InvalidParamsError, SponsorshipRefusedError } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { RpcMethod } from '../../json-rpc/rpc-method';
import { biconomyParams } from './params.schema';
import { parseBiconomyRequest, type BiconomyRequest } from './parse';
import { explanationSchema, presentExplanation, type ExplanationResult } from './present-explanation';

/** What `pm_sponsorUserOperation` would answer to the same parameters, and why; without any effect. */
export const pmExplain: RpcMethod<BiconomyRequest, ExplanationResult> = {
  name: 'pm_explain',
  summary:
    'Whether an operation would be sponsored, and why, with every rule that was looked at. Holds, signs and records nothing. Only where the paymaster explains refusals to clients.',
  params: biconomyParams,
  result: { name: 'explanation', schema: explanationSchema },
  refusals: ['request', 'caller', 'operation', 'explanation'],

  parse(params, caller) {
    assertExplanationsOn(caller);
    return parseBiconomyRequest(params, caller);
  },

  async answer(request, operations) {
    if (request.mode === 'sponsored') return presentExplanation(await operations.explain(request));
    throw new InvalidParamsError(request.field, 'pm_explain explains sponsorship, not token payments.');
  },
};

/**
 * Refuses unless the owner has turned explanations on. An API key is often public, and an explanation shows the limits
 * and how much of them is used.
 */
function assertExplanationsOn({ paymaster }: Caller): void {
  if (paymaster.snapshot.settings.explainToClients) return;
  throw new SponsorshipRefusedError('EXPLANATIONS_OFF', 'This paymaster does not explain its decisions to clients.');
}
