import { Injectable } from '@nestjs/common';
import type { TokenGasTerms, TokenPermit } from '@paymaster/chain';
import {
  max,
  min,
  PREMIUM_DENOMINATOR,
  tokenChargeBaseUnits,
  type AccountGasLimits,
  type UserOperation,
} from '@paymaster/domain';
import type { DecodeResult } from '@paymaster/policy';
import type { TokenRate } from '@paymaster/pricing';
import type { ServedTokens } from '../chains/served-tokens';
import { neededOf } from '../hold/operation-key';
import { withAssumedFees } from '../decide/terms/assumed-fees';
import { prechargeOf } from '../decide/limits/gas-limits';
import type { SponsorTerms } from '../decide/terms/sponsor-terms';
import { judgeCosts, callsOf } from '../decide/rules/sponsorship-policy';
import { unsetLimits, type MeasuredQuestion, type Stub } from '../decide/limits/unset-limits';
import { sayingWhereToDeposit } from '../decide/verdict/where-to-deposit';
import type { Caller } from '../callers/caller';
import { advisingApproval } from '../decide/tokens/advise-approval';
import { approvesMost, deploymentMayApprove, mayApprove } from '../decide/tokens/approvals';
import { askPullable, askToken } from '../decide/tokens/ask-token';
import { openPayment } from '../decide/tokens/judge-payment';
import type { TokenPaymentRequest } from '../decide/tokens/named-tokens';
import { payableIn } from '../decide/tokens/supported-token';
import { notApproved, permitNeeded, permitNotTaken } from '../decide/tokens/token-refusals';
import { type SupportedToken } from '../chains/token-registry';
import { tokenStub } from '../decide/tokens/token-stub';
import { tokenTerms, withTokenGas, type TokenTerms } from '../decide/tokens/token-terms';

/** Of a stub, the limits that the client has not set are measured. */
export type TokenStubRequest = TokenPaymentRequest & MeasuredQuestion;

/** Stubs of ERC-7677 in token mode: checked like the final data, as far as it is known; nothing is held or signed. */
@Injectable()
export class StubTokenPayment {
  /** @throws what {@link PayInToken.pay} throws, as far as it is known before the estimate */
  stub(request: TokenStubRequest): Promise<Stub> {
    const token = { address: request.token, field: request.tokens.field };
    return sayingWhereToDeposit(request, payableIn(token, advisingApproval(request, this.decide(request))));
  }

  private async decide(request: TokenStubRequest): Promise<Stub> {
    const { caller, permit } = request;
    const { tokens, token, sponsor, trace } = await openPayment(request, true);
    const operation = withAssumedFees(request.operation, caller);
    const rate = tokens.prices.rateOf(token.listing);
    const terms = stubTerms(sponsor, { caller, token, permit });
    const neededWei = prechargeOf(operation, terms);
    const decoded = callsOf(request);
    const pull = { tokens, token, operation, terms, rate, neededWei, decoded, deadlineMs: caller.deadlineMs };
    const pullable = permit ? await balanceOf(pull) : await pullableWithoutPermit(pull);
    const stub = tokenStub(terms, { rate, permit, pullable });
    judgeCosts({ caller, operation, trace }, { stub, prechargeWei: neededWei });
    await caller.chain.funding.assertCovers(neededOf(request, sponsor, neededWei));
    if (approvesMost(decoded, { token: token.listing.address, spender: sponsor.paymaster })) {
      return { data: stub, limits: {} };
    }
    const raise = (limits: AccountGasLimits) =>
      withTokenGas({ limits, operation, sponsor, terms, approveHeadroom: false });
    return { data: stub, limits: await unsetLimits(request, sponsor, raise) };
  }
}

interface Pull {
  readonly tokens: Pick<ServedTokens, 'reader'>;
  readonly token: SupportedToken;
  readonly operation: UserOperation;
  readonly terms: TokenTerms;
  readonly rate: TokenRate;
  /** As far as the operation's gas is known. */
  readonly neededWei: bigint;
  readonly decoded: DecodeResult;
  readonly deadlineMs: number;
}

/** @throws what {@link askToken} throws */
function balanceOf({ tokens, token: { listing }, operation, deadlineMs }: Pull): Promise<bigint> {
  const asked = { token: listing.address, account: operation.sender, deadlineMs };
  return askToken(listing, tokens.reader.balanceOf(asked));
}

/**
 * How much an estimate may pull from an existing allowance, base units. Undefined when no allowance covers what the
 * operation costs, or an approval in its batch must. If an allowance covers it, the final data has the way `allowance`,
 * whose validation takes more gas. On EntryPoint v0.6 the client learns only from an estimate with this stub how much gas.
 *
 * @throws {SponsorshipRefusedError} TOKEN_ALLOWANCE_TOO_LOW, when the operation approves nothing either
 * @throws what {@link askToken} throws
 */
async function pullableWithoutPermit(pull: Pull): Promise<bigint | undefined> {
  const { tokens, token, operation, terms, rate, neededWei, decoded, deadlineMs } = pull;
  const { listing, ways } = token;
  const spender = terms.paymaster;
  const approval = { token: listing.address, spender };
  const mayGrant = mayApprove(decoded, approval) || deploymentMayApprove(operation, approval);
  const approves = ways.includes('batchApproval') && mayGrant;
  if (approves && !ways.includes('allowance')) return undefined;
  const asked = { token: listing, owner: operation.sender, spender, deadlineMs };
  const [allowance, balance] = await askPullable(tokens.reader, asked);
  const pullable = min(allowance, balance);
  const needed = tokenChargeBaseUnits({
    costWei: neededWei,
    exchangeRate: rate.exchangeRate,
    premiumMillionths: PREMIUM_DENOMINATOR + BigInt(listing.premiumMillionths),
  });
  if (allowance < needed && !approves) throw notApproved(token, { spender, allowanceBaseUnits: allowance });
  return ways.includes('allowance') && pullable >= needed ? pullable : undefined;
}

/**
 * The terms of a stub: whichever way is chosen for the final data, its gas is not above theirs.
 *
 * @throws {SponsorshipRefusedError} TOKEN_WAY_NOT_AVAILABLE
 */
function stubTerms(
  sponsor: SponsorTerms,
  { caller, token, permit }: { caller: Caller; token: SupportedToken; permit: TokenPermit | undefined },
): TokenTerms {
  const ways = token.ways.filter((way) => (way === 'permit') === (permit !== undefined));
  const [first, ...others] = ways.map((way) => tokenTerms(sponsor, { caller, token: token.listing, way }));
  if (!first) throw permit ? permitNotTaken(token.listing) : permitNeeded(token);
  return others.reduce((a, b) => ({ ...a, constants: highest(a.constants, b.constants) }), first);
}

function highest(a: TokenGasTerms, b: TokenGasTerms): TokenGasTerms {
  return {
    paymasterVerificationGasLimit: max(a.paymasterVerificationGasLimit, b.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: max(a.paymasterPostOpGasLimit, b.paymasterPostOpGasLimit),
    unaccountedGas: max(a.unaccountedGas, b.unaccountedGas),
    addedVerificationGas: max(a.addedVerificationGas, b.addedVerificationGas),
    tokenCallGas: max(a.tokenCallGas, b.tokenCallGas),
    gasPercent: a.gasPercent,
  };
}
