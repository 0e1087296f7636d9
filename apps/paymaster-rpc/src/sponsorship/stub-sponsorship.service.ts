import { Injectable } from '@nestjs/common';
import { withAssumedFees } from './assumed-fees';
import { prechargeOf } from './gas-limits';
import type { SponsorData } from './sponsor-data';
import { sponsorTerms } from './sponsor-terms';
import { assertCostWithinCap, assertGasWithinBounds, assertSponsored, type PolicyQuestion } from './sponsorship-policy';

/** Stubs of ERC-7677: the policy says yes or no as for the final data, and nothing is reserved or signed. */
@Injectable()
export class StubSponsorship {
  /** @throws what {@link SponsorUserOperation.sponsor} throws, as far as it can be known by now */
  async stub(question: PolicyQuestion): Promise<SponsorData> {
    const { caller } = question;
    const operation = withAssumedFees(question.operation, caller);
    const verdict = await assertSponsored(question);
    const terms = sponsorTerms(caller, operation.entryPointVersion);
    const bounded = assertGasWithinBounds({ caller, operation, trace: verdict }, terms);
    const neededWei = prechargeOf(operation, terms);
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
