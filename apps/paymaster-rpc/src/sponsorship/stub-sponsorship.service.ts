import { Injectable } from '@nestjs/common';
import type { UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import { prechargeOf } from './gas-limits';
import type { SponsorData } from './sponsor-data';
import { sponsorTerms } from './sponsor-terms';
import { assertCostWithinCap, assertGasWithinBounds, assertSponsored, type PolicyQuestion } from './sponsorship-policy';

/** A usual tip, for a stub of which the client does not know the fees yet; wei per gas. */
const USUAL_TIP_WEI = 1_000_000_000n;

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

/** Clients ask for the stub before they know the fees, or with zeros: then ours are assumed. */
function withAssumedFees(operation: UserOperation, { chain }: Caller): UserOperation {
  if (operation.maxFeePerGas > 0n) return operation;
  const { feeFloorWei, maxPriorityFeePerGasWei } = chain.config.bounds;
  // Never above what the bounds allow of a client, or a chain with cheap gas would refuse every such stub.
  const tipWei = [feeFloorWei, maxPriorityFeePerGasWei].reduce((a, b) => (a < b ? a : b), USUAL_TIP_WEI);
  return {
    ...operation,
    maxFeePerGas: 2n * chain.head.baseFeePerGasWei() + tipWei,
    maxPriorityFeePerGas: tipWei,
  };
}
