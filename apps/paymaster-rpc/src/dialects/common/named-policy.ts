import { InvalidParamsError } from '@paymaster/domain';
import type { Caller } from '../../callers/caller';
import type { JsonSchema } from '../../json-rpc/rpc-method';

/** How clients name a policy in a context: Alchemy's and Pimlico's, each in the words of its service. */
export interface NamesPolicy {
  readonly policyId?: string | readonly string[] | null;
  readonly sponsorshipPolicyId?: string | null;
}

const id: JsonSchema = { type: ['string', 'null'], maxLength: 100, description: 'the id of a sponsorship policy' };

/** The members of a context that name a policy. Alchemy's clients write a list, too. */
export const policyProperties: Readonly<Record<string, JsonSchema>> = {
  sponsorshipPolicyId: id,
  policyId: {
    type: ['string', 'array', 'null'],
    maxLength: 100,
    minItems: 1,
    maxItems: 1,
    items: { type: 'string', maxLength: 100 },
    description: 'the id of a sponsorship policy, or a list with one id',
  },
};

/**
 * The policy that a context names, which then is the only one asked.
 *
 * @param context where it stands, and whether it stands beside `token`: then no policy is asked. Alchemy's clients name
 *   their policy beside `erc20Context` too
 * @throws {InvalidParamsError} for an id that is none of the paymaster's sponsorship policies, and beside a token
 */
export function namedPolicy(
  names: NamesPolicy,
  { caller, field: at, besideToken }: { caller: Caller; field: string; besideToken: boolean },
): string | undefined {
  let named: string | undefined;
  for (const name of ['policyId', 'sponsorshipPolicyId'] as const) {
    const value = names[name];
    const policyId = typeof value === 'string' ? value : value?.[0];
    if (policyId === undefined) continue;
    const field = `${at}.${name}`;
    if (besideToken) throw new InvalidParamsError(field, `${field} is not taken beside token: the sender pays.`);
    if (!caller.paymaster.policy.policies.rules.some((rule) => rule.policyId === policyId)) {
      throw new InvalidParamsError(field, `${field} must be the id of a sponsorship policy of this paymaster.`);
    }
    if (named !== undefined && named !== policyId) {
      throw new InvalidParamsError(field, `${field} must be the same as ${at}.policyId.`);
    }
    named = policyId;
  }
  return named;
}
