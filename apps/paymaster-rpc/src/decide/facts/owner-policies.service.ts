import { Inject, Injectable } from '@nestjs/common';
import { SponsorshipRefusedError, type TraceLine, type UserOperation } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import {
  checkPolicies,
  type OperationCosts,
  type PoliciesQuestion,
  type PoliciesVerdict,
  type RecentOutcomes,
} from '@paymaster/policy';
import type { Caller } from '../../callers/caller';
import { LEDGER } from '../../chains/open-gateway-ledger';
import { microUsdPerNativeIfKnown } from '../../chains/native-price';
import { callsOf, judgeCalls, type OperationFacts, type PolicyQuestion } from '../rules/sponsorship-policy';
import { lookAtAccount, type Look } from './look-at-account';

/** Facts that the owner's policies check, read once for a request. The operation may still get other limits. */
export type PolicyFacts = Omit<PoliciesQuestion, 'operation' | 'costs'>;

/** What is known of an operation before its gas is: its calls are whitelisted. */
export interface Facts extends OperationFacts {
  /** Of the rules on its calls. */
  readonly trace: readonly TraceLine[];
  readonly policies: PolicyFacts;
}

/** The decision of the policies, as far as it needs no ledger. */
export type AllowingVerdict = Extract<PoliciesVerdict, { allowed: true }>;

const NO_OUTCOMES: ReadonlyMap<number, RecentOutcomes> = new Map();

/** Evaluates the owner's policies (docs/architecture/rules.md). Holds nothing. */
@Injectable()
export class OwnerPolicies {
  constructor(@Inject(LEDGER) private readonly ledger: Pick<Ledger, 'outcomes'>) {}

  /**
   * Looks at the calls, the account and what the policies check.
   *
   * @throws {SponsorshipRefusedError} when the paymaster does not sponsor the calls
   * @throws {DependencyUnavailableError} `database`, where a policy needs how operations ended and it can't be read
   * @throws what {@link lookAtAccount} throws
   */
  async factsOf(
    question: PolicyQuestion & Pick<PolicyFacts, 'policyIds'> & Pick<Look, 'judged' | 'isStub'>,
  ): Promise<Facts> {
    const { caller, operation, judged, isStub, policyIds } = question;
    const decoded = callsOf(question);
    const accountFacts = await lookAtAccount({ caller, operation, decoded, judged, isStub });
    const trace = judgeCalls(question, { decoded, accountFacts });
    const { policy } = caller.paymaster;
    const { head } = caller.chain;
    const policies = {
      policy,
      policyIds,
      calls: decoded.understood ? decoded.calls : [],
      user: caller.session?.user,
      sharedUser: caller.session?.sharedUser,
      nowSeconds: head.nowSeconds(),
      baseFeePerGas: head.baseFeePerGasWei(),
      eip7702Delegate: accountFacts.eip7702Delegate,
      outcomes: await this.recentOutcomes(caller),
    };
    return { decoded, accountFacts, trace, policies };
  }

  private async recentOutcomes({ paymaster, chain }: Caller): Promise<ReadonlyMap<number, RecentOutcomes>> {
    const { outcomesOfMinutes } = paymaster.policy.policies.needs;
    if (outcomesOfMinutes.length === 0) return NO_OUTCOMES;
    const { paymasterId, chainId } = paymaster.snapshot;
    const nowSeconds = chain.head.nowSeconds();
    const found = await Promise.all(
      outcomesOfMinutes.map((minutes) =>
        this.ledger.outcomes({ paymasterId, chainId, sinceSeconds: nowSeconds - minutes * 60 }),
      ),
    );
    return new Map(outcomesOfMinutes.map((minutes, index) => [minutes, found[index] as RecentOutcomes]));
  }
}

/**
 * Checks whether a policy can still allow the operation, before its limits and costs are known, so that an operation
 * that is refused here costs no estimation.
 *
 * @throws {SponsorshipRefusedError} with the trace so far
 */
export function assertSomePolicyMayAllow({ policies, trace }: Facts, operation: UserOperation): void {
  allowing(checkPolicies({ ...policies, operation, costs: undefined }), trace);
}

/**
 * Evaluates the policies once everything is known.
 *
 * @returns the policies to try, in order, and the trace so far
 * @throws {SponsorshipRefusedError} with the trace so far
 */
export function askPolicies(
  facts: PolicyFacts,
  question: {
    caller: Caller;
    operation: UserOperation;
    costs: Omit<OperationCosts, 'microUsdPerNative'>;
    trace: readonly TraceLine[];
  },
): AllowingVerdict {
  const { caller, operation, costs, trace } = question;
  const price = facts.policy.policies.needs.price ? microUsdPerNativeIfKnown(caller.chain) : undefined;
  const priced = { ...costs, ...(price !== undefined && { microUsdPerNative: price }) };
  return allowing(checkPolicies({ ...facts, operation, costs: priced }), trace);
}

function allowing(verdict: PoliciesVerdict, earlier: readonly TraceLine[]): AllowingVerdict {
  const trace = verdict.trace.length === 0 ? earlier : [...earlier, ...verdict.trace];
  if (verdict.allowed) return { ...verdict, trace };
  throw new SponsorshipRefusedError(verdict.reason, verdict.message, trace, { ...verdict.details });
}
