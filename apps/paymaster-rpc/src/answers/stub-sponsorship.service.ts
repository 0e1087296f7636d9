import { Inject, Injectable } from '@nestjs/common';
import { hasPaymasterSignature, refusedAfter } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import { LEDGER } from '../chains/open-gateway-ledger';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { keyClaims } from '../hold/key-claims';
import { neededOf, operationKey } from '../hold/operation-key';
import type { SponsorRequest } from '../decide/verdict/judge-operation.service';
import { Refusals } from '../decide/verdict/refusals.service';
import { withAssumedFees } from '../decide/terms/assumed-fees';
import { tryPolicies } from '../decide/verdict/try-policies';
import { prechargeOf } from '../decide/limits/gas-limits';
import { assertRoom, lookAtBudgets } from '../decide/facts/look-at-budgets';
import { askPolicies, OwnerPolicies } from '../decide/facts/owner-policies.service';
import type { SponsorData } from '../decide/terms/sponsor-data';
import { sponsorTerms, stubUntil, type SponsorTerms } from '../decide/terms/sponsor-terms';
import { judgeCosts } from '../decide/rules/sponsorship-policy';
import { unsetLimits, type MeasuredQuestion, type Stub } from '../decide/limits/unset-limits';
import { validityBounds, validityOf } from '../decide/terms/validity';

/** On EntryPoint v0.9 the account may sign the times of the final data before the paymaster does. */
export type StubRequest = SponsorRequest & MeasuredQuestion;

/**
 * Stubs of ERC-7677, with the gas limits that the client has not set. The policy says yes or no as for the final data,
 * and nothing is reserved or signed.
 */
@Injectable()
export class StubSponsorship {
  constructor(
    private readonly policies: OwnerPolicies,
    private readonly refusals: Refusals,
    private readonly config: PaymasterRpcConfig,
    @Inject(LEDGER) private readonly ledger: Pick<Ledger, 'peek'>,
  ) {}

  /** @throws what {@link SponsorUserOperation.sponsor} throws, as far as it is known before the estimate */
  stub(question: StubRequest): Promise<Stub> {
    return this.refusals.watch(question, async () => {
      const terms = await this.judge(question);
      return { data: this.dataOf(question, terms), limits: await unsetLimits(question, terms) };
    });
  }

  /**
   * Like {@link stub}, for a client that only asks: a refusal is not listed among those of the owner's users.
   *
   * @returns the terms on which the operation would be sponsored
   * @throws what {@link stub} throws
   */
  async judge(question: StubRequest): Promise<SponsorTerms> {
    const { caller, account, policyIds } = question;
    const { deadlineMs } = caller;
    const operation = withAssumedFees(question.operation, caller);
    const facts = await this.policies.factsOf({
      caller,
      operation: question.operation,
      account,
      policyIds,
      isStub: true,
    });
    const terms = sponsorTerms(caller, operation.entryPointVersion);
    const neededWei = prechargeOf(operation, terms);
    try {
      const cost = { stub: terms.stub, prechargeWei: neededWei };
      const { trace } = judgeCosts({ caller, operation, trace: facts.trace }, cost);
      // The client estimates after this, so the estimate is compared when the final data is asked for.
      const costs = { prechargeWei: neededWei, estimatedCallGas: operation.callGasLimit };
      // Policies on fees have no fees to check yet.
      const withoutFees = { ...question.operation, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
      const verdict = askPolicies(facts.policies, { caller, operation: withoutFees, costs, trace });
      const ofKey = keyClaims(caller, { sender: operation.sender, prechargeWei: neededWei });
      await tryPolicies({ caller, verdict }, async (turn) => {
        const claims = [...turn.claims, ...ofKey];
        assertRoom(await lookAtBudgets(this.ledger, { claims, operation: operationKey(question, terms), deadlineMs }));
      });
      await caller.chain.funding.assertCovers(neededOf(question, terms, neededWei));
      return terms;
    } catch (error) {
      throw refusedAfter({ trace: facts.trace, prechargeWei: neededWei }, error);
    }
  }

  private dataOf({ caller, expiry }: StubRequest, terms: SponsorTerms): SponsorData {
    if (!hasPaymasterSignature(terms.version)) return terms.stub;
    return stubUntil(terms, validityOf(expiry, validityBounds(caller, this.config)));
  }
}
