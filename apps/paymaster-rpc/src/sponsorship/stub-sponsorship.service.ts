import { Injectable } from '@nestjs/common';
import { Refusals, type Attempt } from '../reservations/refusals.service';
import { withAssumedFees } from './assumed-fees';
import { prechargeOf } from './gas-limits';
import type { SponsorData } from './sponsor-data';
import { sponsorTerms } from './sponsor-terms';
import { assertCostWithinCap, assertGasWithinBounds, assertSponsored, type PolicyQuestion } from './sponsorship-policy';

/** Stubs of ERC-7677: the policy says yes or no as for the final data, and nothing is reserved or signed. */
@Injectable()
export class StubSponsorship {
  constructor(private readonly refusals: Refusals) {}

  /** @throws what {@link SponsorUserOperation.sponsor} throws, as far as it can be known by now */
  stub(question: PolicyQuestion): Promise<SponsorData> {
    const attempt: Attempt = { ...question, mode: 'sponsored' };
    return this.refusals.watch(attempt, () => this.decide(question, attempt));
  }

  private async decide(question: PolicyQuestion, attempt: Attempt): Promise<SponsorData> {
    const { caller } = question;
    const operation = withAssumedFees(question.operation, caller);
    const verdict = await assertSponsored(question);
    const terms = sponsorTerms(caller, operation.entryPointVersion);
    const bounded = assertGasWithinBounds({ caller, operation, trace: verdict }, terms);
    const neededWei = (attempt.prechargeWei = prechargeOf(operation, terms));
    assertCostWithinCap({ caller, prechargeWei: neededWei, trace: bounded });
    await caller.chain.funding.assertCovers({
      paymaster: terms.paymaster,
      wallet: terms.fundingWallet,
      entryPoint: terms.entryPoint,
      neededWei,
    });
    return terms.stub;
  }
}
