import { InvalidParamsError, SponsorshipRefusedError } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { JsonSchema, ParsedRequest, RpcMethod } from '../../json-rpc/rpc-method';
import type { SponsorRequest } from '../../../decide/verdict/judge-operation.service';
import { isIgnoredPolicy } from '../common/named-policies';
import { address } from '../common/primitives';
import { userOperationSchema } from '../common/user-operation.schema';
import { parsePimlicoRequest } from './parse';

/** Each policy costs an evaluation of its own, but the request counts as one in the rate limit. */
const MAX_POLICIES = 4;

/** An operation, and the policies that its client wants to know about. */
interface ValidationRequest extends ParsedRequest {
  readonly mode: 'none';
  readonly caller: Caller;
  readonly unnamed: SponsorRequest;
  /** The same operation for each policy that the paymaster has, or lets clients name. */
  readonly asked: ReadonlyArray<{ readonly id: string; readonly name: string; readonly request: SponsorRequest }>;
}

interface ValidPolicy {
  readonly sponsorshipPolicyId: string;
  readonly data: {
    readonly name: string;
    readonly author: string;
    readonly icon: string | null;
    readonly description: string | null;
  };
}

const policyIds: JsonSchema = {
  type: 'array',
  maxItems: MAX_POLICIES,
  items: { type: 'string', maxLength: 100 },
  description: `a list of at most ${MAX_POLICIES} ids of sponsorship policies`,
};

/** Which of some policies would sponsor an operation: `[userOp, entryPoint, policyIds]`. Nothing is held or signed. */
export const pmValidateSponsorshipPolicies: RpcMethod<ValidationRequest, readonly ValidPolicy[]> = {
  name: 'pm_validateSponsorshipPolicies',
  summary: 'Those of the named sponsorship policies that would sponsor the operation now.',
  params: [
    { name: 'userOperation', required: true, schema: userOperationSchema({ fees: 'optional' }) },
    { name: 'entryPoint', required: true, schema: address },
    { name: 'sponsorshipPolicyIds', required: true, schema: policyIds },
  ],
  result: {
    name: 'validPolicies',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['sponsorshipPolicyId', 'data'],
        properties: {
          sponsorshipPolicyId: { type: 'string' },
          data: {
            type: 'object',
            required: ['name', 'author', 'icon', 'description'],
            properties: {
              name: { type: 'string' },
              author: { type: 'string' },
              icon: { type: ['string', 'null'] },
              description: { type: ['string', 'null'] },
            },
          },
        },
      },
    },
  },
  refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'chain'],

  parse([raw, entryPoint, ids], caller) {
    const { policy, snapshot } = caller.paymaster;
    // The operation is read also when the request names no policy, so that a bad operation is always refused.
    const read = (context: object) => {
      const request = parsePimlicoRequest([raw, entryPoint, context], caller);
      if (request.mode !== 'sponsored') throw new InvalidParamsError('params[0]', 'params[0] must be an operation.');
      return request;
    };
    const unnamed = read({});
    const asked = [...new Set(ids as string[])].flatMap((id) => {
      const own = policy.policies.rules.find(({ policyId }) => policyId === id);
      if (own) return [{ id, name: own.name, request: read({ policyId: id }) }];
      if (isIgnoredPolicy(caller, id)) return [{ id, name: snapshot.name, request: unnamed }];
      return []; // An id that the paymaster does not have is not valid; that is an answer, and no error.
    });
    return { mode: 'none', caller, unnamed, asked };
  },

  async answer({ caller, unnamed, asked }, operations) {
    const { name: author } = caller.paymaster.snapshot;
    // No policy refuses here but the key, which the client has to be told.
    operations.assertServed(unnamed);
    const valid: ValidPolicy[] = [];
    for (const { id, name, request } of asked) {
      try {
        await operations.judge(request);
        valid.push({ sponsorshipPolicyId: id, data: { name, author, icon: null, description: null } });
      } catch (error) {
        if (!(error instanceof SponsorshipRefusedError)) throw error;
      }
    }
    return valid;
  },
};
