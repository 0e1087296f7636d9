import { InvalidParamsError } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { JsonSchema } from '../../json-rpc/rpc-method';

/** As many as an API key can be bound to. */
const MAX_POLICIES = 20;

/** The names under which Alchemy's and Pimlico's clients send policies in a context. */
export interface NamesPolicies {
  readonly policyId?: string | readonly string[] | null;
  readonly policyIds?: readonly string[] | null;
  readonly sponsorshipPolicyId?: string | null;
}

const idList = { maxItems: MAX_POLICIES, minItems: 1, items: { type: 'string', maxLength: 100 } } as const;
const listed = `a list of 1 to ${MAX_POLICIES} ids of sponsorship policies`;

/** The members of a context that name policies. Alchemy's clients also write a list under `policyId`. */
export const policyProperties = {
  sponsorshipPolicyId: { type: ['string', 'null'], maxLength: 100, description: 'the id of a sponsorship policy' },
  policyId: {
    ...{ type: ['string', 'array', 'null'], maxLength: 100, ...idList },
    description: `the id of a sponsorship policy, or ${listed}`,
  },
  policyIds: { ...{ type: ['array', 'null'], ...idList }, description: listed },
} as const satisfies Record<keyof NamesPolicies, JsonSchema>;

/**
 * The policies that a context names. If it names any, no other policy is asked. Where the owner has set
 * `ignoreForeignPolicyIds`, ids that belong to no policy in force are left out; if no other id is left, no policy is
 * named.
 *
 * @param context.field where the context is in the request
 * @param context.besideToken the context also has `token`. Then no policy is asked, so no policy may be named.
 *   `erc20Context` does not count as `token`, because Alchemy's clients name their policy beside it too
 * @returns undefined if the context names no policy
 * @throws {InvalidParamsError} if an id is not of a sponsorship policy of the paymaster, or is named beside a token
 */
export function namedPolicies(
  names: NamesPolicies,
  { caller, field: at, besideToken }: { caller: Caller; field: string; besideToken: boolean },
): readonly string[] | undefined {
  const { rules } = caller.paymaster.policy.policies;
  let named: { readonly ids: ReadonlySet<string>; readonly field: string } | undefined;
  for (const name of ['policyId', 'policyIds', 'sponsorshipPolicyId'] as const) {
    const value = names[name] ?? undefined;
    if (value === undefined) continue;
    const field = `${at}.${name}`;
    if (besideToken) throw new InvalidParamsError(field, `${field} is not taken beside token: the sender pays.`);
    const list = typeof value === 'string' ? [value] : value;
    const unknown = list.findIndex(
      (id) => !rules.some(({ policyId }) => policyId === id) && !isIgnoredPolicy(caller, id),
    );
    if (unknown >= 0) {
      const wrong = typeof value === 'string' ? field : `${field}[${unknown}]`;
      throw new InvalidParamsError(
        wrong,
        `${wrong} must be the id of a sponsorship policy of this paymaster. ` +
          "Its owner can set ignoreForeignPolicyIds to have ids of other vendors' policies ignored.",
      );
    }
    const ids = new Set(list.filter((id) => !isIgnoredPolicy(caller, id)));
    if (ids.size === 0) continue;
    const isSame = named?.ids.size === ids.size && [...ids].every((id) => named?.ids.has(id));
    if (named && !isSame) throw new InvalidParamsError(field, `${field} must be the same as ${named.field}.`);
    named = { ids, field };
  }
  return named && [...named.ids];
}

/** Whether an id is of another vendor's policy, as far as anybody can tell, and the owner lets clients send such ids. */
export function isIgnoredPolicy({ paymaster: { snapshot } }: Caller, id: string): boolean {
  return snapshot.settings.ignoreForeignPolicyIds && !snapshot.policies.some(({ policyId }) => policyId === id);
}
