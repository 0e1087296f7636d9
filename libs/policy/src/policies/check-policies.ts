import type { TraceLine } from '@paymaster/domain';
import type { CompiledPolicy } from './compile-policy';
import type { Refusal } from './verdict';
import type { Claim } from './claim';
import type { CompiledRulesPolicy } from './compile-policies';
import { cycleLimitClaim } from './cycle-limits';
import type { NativeInput, PricedOperation } from './native-rule';
import { spendingClaim } from './spending-limits';

/** One way to sponsor the operation: all of its claims must have room. */
export interface SponsorshipCandidate {
  /** Null where the paymaster has no `RULES` policy and the rest decides. */
  readonly policyId: string | null;
  /** Some limit, of this policy or shared, is counted in USD and no price was given: nobody can say whether this one allows. */
  readonly priceMissing: boolean;
  /** Of this policy's limits, made when they are read: mostly the first policy has room. None before the costs are known. */
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
 * Ask once without costs, before anything dear is done, and again when they are known. Without costs the first policy
 * that may allow is the only candidate, and no policy after it is asked.
 *
 * @returns the candidates, or the refusal of the last policy that was asked
 * @throws {Error} when none of the policies named is there: the caller checks that before
 */
export function checkPolicies(question: PoliciesQuestion): PoliciesVerdict {
  const { policy, policyIds } = question;
  const all = policy.policies.rules;
  const rules = policyIds === undefined ? all : all.filter(({ policyId }) => policyIds.includes(policyId));
  const priced = pricedOf(question);
  const restrictions = restrictionClaims(policy, priced);
  if (rules.length === 0 && policyIds === undefined) {
    if (policy.policies.needsPolicy) return { allowed: false, ...NO_POLICY_OF_KEY };
    return { allowed: true, candidates: [candidateOf(NO_POLICY, policy, priced)], restrictions, trace: [] };
  }
  const trace: TraceLine[] = [];
  const candidates: SponsorshipCandidate[] = [];
  let refusal: Refusal | undefined;
  for (const asked of rules) {
    const refused = askPolicy(asked, question, trace);
    if (refused) refusal = refused;
    else candidates.push(candidateOf(asked, policy, priced));
    // Which of the others allow is asked when the costs are known.
    if (!refused && !priced) break;
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

function restrictionClaims({ policies }: CompiledPolicy, priced: PricedOperation | undefined): readonly Claim[] {
  const { cycleLimits, sharedLimits } = policies;
  if (!priced || cycleLimits.length + sharedLimits.length === 0) return NO_CLAIMS;
  return [...cycleLimits.map((limit) => cycleLimitClaim(limit, priced)), ...claimsOf(sharedLimits, priced)];
}

/** A class, because an object with a getter of its own takes a microsecond, and each policy that allows makes one. */
class Candidate implements SponsorshipCandidate {
  private made: readonly Claim[] | undefined;

  constructor(
    readonly policyId: string | null,
    readonly priceMissing: boolean,
    private readonly limits: CompiledRulesPolicy['limits'],
    private readonly priced: PricedOperation | undefined,
  ) {}

  get claims(): readonly Claim[] {
    return (this.made ??= this.priced ? claimsOf(this.limits, this.priced) : NO_CLAIMS);
  }
}

function candidateOf(
  { policyId, limits, needsPrice }: Pick<CompiledRulesPolicy, 'limits' | 'needsPrice'> & { policyId: string | null },
  { policies }: CompiledPolicy,
  priced: PricedOperation | undefined,
): SponsorshipCandidate {
  const isPriceMissing = priced !== undefined && priced.costs.microUsdPerNative === undefined;
  return new Candidate(policyId, isPriceMissing && (needsPrice || policies.sharedLimitsNeedPrice), limits, priced);
}

function claimsOf(limits: CompiledRulesPolicy['limits'], priced: PricedOperation): Claim[] {
  return limits.flatMap((limit) => spendingClaim(limit, priced) ?? []);
}

/** Written as one literal without spreads for speed. */
function pricedOf({ operation, nowSeconds, user, sharedUser, costs }: NativeInput): PricedOperation | undefined {
  return costs && { operation, nowSeconds, user, sharedUser, costs };
}
