import type { TraceLine } from '@paymaster/domain';
import type { CompiledPolicy } from './compile-policy';
import type { Refusal } from './verdict';
import type { Claim } from './claim';
import type { CompiledRulesPolicy } from './compile-policies';
import { cycleLimitClaim } from './cycle-limits';
import type { NativeInput } from './native-rule';
import { spendingClaim } from './spending-limits';

/** One way to sponsor the operation: all of its claims must have room. */
export interface SponsorshipCandidate {
  /** Null where the paymaster has no `RULES` policy and the rest decides. */
  readonly policyId: string | null;
  /** Some limit, of this policy or shared, is counted in USD and no price was given: nobody can say whether this one allows. */
  readonly priceMissing: boolean;
  /** Of this policy's limits; none before the costs are known. */
  readonly claims: readonly Claim[];
}

/** Ways to sponsor the operation, in the order they are to be tried; or why there is none. */
export type PoliciesVerdict =
  | {
      readonly allowed: true;
      readonly candidates: readonly [SponsorshipCandidate, ...SponsorshipCandidate[]];
      /** What every candidate asks besides; none before the costs are known. */
      readonly restrictions: readonly Claim[];
      readonly trace: readonly TraceLine[];
    }
  | ({ readonly allowed: false; readonly trace: readonly TraceLine[] } & Refusal);

export interface PoliciesQuestion extends NativeInput {
  readonly policy: CompiledPolicy;
  /** The only `RULES` policies that the client asks to be sponsored by; absent: all of them. By priority in both cases. */
  readonly policyIds?: readonly string[] | undefined;
}

const NO_CLAIMS: readonly Claim[] = [];
const NO_POLICY_OF_KEY: Refusal & { readonly trace: readonly TraceLine[] } = {
  reason: 'KEY_POLICIES_NOT_IN_FORCE',
  message: 'The API key may use certain policies only, and none of them is active',
  trace: [{ rule: 'policies of the API key', input: 'none is active', outcome: 'refuse' }],
};
const NO_POLICY = { policyId: null, limits: [], needsPrice: false };

/**
 * Asks restrictions and `RULES` policies (docs/architecture/rules.md). Pure. Limits with a memory become claims, to
 * be held by the ledger: the first candidate whose claims it grants is the policy that sponsors the operation.
 *
 * Ask once without costs, before anything dear is done, and again when they are known.
 *
 * @returns the candidates, or the refusal of the last policy that was asked
 * @throws {Error} when none of the policies named is there: the caller checks that before
 */
export function checkPolicies(question: PoliciesQuestion): PoliciesVerdict {
  const { policyIds } = question;
  const all = question.policy.policies.rules;
  const rules = policyIds === undefined ? all : all.filter((policy) => policyIds.includes(policy.policyId));
  const restrictions = restrictionClaims(question);
  if (rules.length === 0 && policyIds === undefined) {
    if (question.policy.policies.needsPolicy) return { allowed: false, ...NO_POLICY_OF_KEY };
    return { allowed: true, candidates: [candidateOf(NO_POLICY, question)], restrictions, trace: [] };
  }
  const trace: TraceLine[] = [];
  const candidates: SponsorshipCandidate[] = [];
  let refusal: Refusal | undefined;
  for (const policy of rules) {
    const refused = askPolicy(policy, question, trace);
    if (refused) refusal = refused;
    else candidates.push(candidateOf(policy, question));
  }
  const [first, ...others] = candidates;
  if (first) return { allowed: true, candidates: [first, ...others], restrictions, trace };
  if (!refusal) throw new Error('there was no policy to ask');
  return { allowed: false, ...refusal, trace };
}

/** Asks the rules of one policy, up to the first refusal. */
function askPolicy(policy: CompiledRulesPolicy, input: NativeInput, trace: TraceLine[]): Refusal | undefined {
  for (const { rule, check } of policy.checks) {
    const finding = check(input);
    trace.push({ rule, input: finding.input, outcome: finding.outcome });
    if (finding.outcome === 'refuse') return finding.refusal;
  }
  return undefined;
}

function restrictionClaims({ policy, costs, ...input }: PoliciesQuestion): readonly Claim[] {
  const { cycleLimits, sharedLimits } = policy.policies;
  if (!costs) return NO_CLAIMS;
  const priced = { ...input, costs };
  return [
    ...cycleLimits.map((limit) => cycleLimitClaim(limit, priced)),
    ...sharedLimits.flatMap((limit) => spendingClaim(limit, priced) ?? []),
  ];
}

function candidateOf(
  { policyId, limits, needsPrice }: Pick<CompiledRulesPolicy, 'limits' | 'needsPrice'> & { policyId: string | null },
  { policy, costs, ...input }: PoliciesQuestion,
): SponsorshipCandidate {
  if (!costs) return { policyId, priceMissing: false, claims: NO_CLAIMS };
  const priced = { ...input, costs };
  return {
    policyId,
    priceMissing: (needsPrice || policy.policies.sharedLimitsNeedPrice) && costs.microUsdPerNative === undefined,
    claims: limits.flatMap((limit) => spendingClaim(limit, priced) ?? []),
  };
}
