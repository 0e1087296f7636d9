import { Injectable } from '@nestjs/common';
import type { TokenGasTerms, TokenPermit } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import { withAssumedFees } from '../sponsorship/assumed-fees';
import { prechargeOf } from '../sponsorship/gas-limits';
import type { SponsorData } from '../sponsorship/sponsor-data';
import { sponsorTerms, type SponsorTerms } from '../sponsorship/sponsor-terms';
import { assertCostWithinCap, assertGasWithinBounds, type PolicyQuestion } from '../sponsorship/sponsorship-policy';
import type { Caller } from '../callers/caller';
import { askToken } from './ask-token';
import { enabledTokenMode } from './enabled-token-mode';
import { permitNeeded, permitNotTaken } from './token-refusals';
import { assertPayableInTokens } from './token-policy';
import { supportedToken, type SupportedToken } from './token-registry';
import { tokenStub } from './token-stub';
import { tokenTerms, type TokenTerms } from './token-terms';

export interface TokenStubRequest extends PolicyQuestion {
  readonly token: Address;
  readonly permit: TokenPermit | undefined;
  /** Where the client said so, for errors. */
  readonly fields: { readonly mode: string; readonly token: string };
}

/** Stubs of ERC-7677 in token mode: checked as the final data, as far as can be known; nothing is held or signed. */
@Injectable()
export class StubTokenPayment {
  /** @throws what {@link PayInToken.pay} throws, as far as it can be known by now */
  async stub(request: TokenStubRequest): Promise<SponsorData> {
    const { caller, permit } = request;
    const { registry, tokens } = enabledTokenMode(caller, request.fields.mode);
    const operation = withAssumedFees(request.operation, caller);
    const token = supportedToken(registry, request.token, request.fields.token);
    const sponsor = sponsorTerms(caller, operation.entryPointVersion);
    const verdict = await assertPayableInTokens({ ...request, registry, paymasterContract: sponsor.paymaster });
    const rate = tokens.prices.rateOf(token.listing);
    const terms = stubTerms(sponsor, { caller, token, permit });
    const stub = tokenStub(terms, {
      ...{ rate, permit },
      ...(permit && {
        pullable: await askToken(
          token.listing,
          tokens.reader.balanceOf({ token: request.token, account: operation.sender }),
        ),
      }),
    });
    const bounded = assertGasWithinBounds({ caller, operation, trace: verdict }, { stub });
    const neededWei = prechargeOf(operation, terms);
    assertCostWithinCap({ caller, prechargeWei: neededWei, trace: bounded });
    await caller.chain.funding.assertCovers({ ...sponsor, wallet: sponsor.fundingWallet, neededWei });
    return stub;
  }
}

/**
 * The terms of a stub: whichever way is chosen for the final data, its gas is not above these.
 *
 * @throws {SponsorshipRefusedError} TOKEN_WAY_NOT_AVAILABLE
 */
function stubTerms(
  sponsor: SponsorTerms,
  { caller, token, permit }: { caller: Caller; token: SupportedToken; permit: TokenPermit | undefined },
): TokenTerms {
  const ways = token.ways.filter((way) => (way === 'permit') === (permit !== undefined));
  const [first, ...others] = ways.map((way) => tokenTerms(sponsor, { caller, token: token.listing, way }));
  if (!first) throw permit ? permitNotTaken(token.listing) : permitNeeded(token.listing);
  return others.reduce((a, b) => ({ ...a, constants: highest(a.constants, b.constants) }), first);
}

function highest(a: TokenGasTerms, b: TokenGasTerms): TokenGasTerms {
  return {
    paymasterVerificationGasLimit: max(a.paymasterVerificationGasLimit, b.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: max(a.paymasterPostOpGasLimit, b.paymasterPostOpGasLimit),
    unaccountedGas: max(a.unaccountedGas, b.unaccountedGas),
    addedVerificationGas: max(a.addedVerificationGas, b.addedVerificationGas),
  };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
