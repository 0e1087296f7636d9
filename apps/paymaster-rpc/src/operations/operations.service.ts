import { Injectable } from '@nestjs/common';
import { SponsorshipRefusedError, type AccountGasLimits } from '@paymaster/domain';
import { POLICY_REASONS } from '@paymaster/policy';
import { assertKeyServesSender } from '../callers/key-grants';
import { assertSessionFor } from '../callers/session-tokens';
import { ExplainOperation, type Explanation } from '../sponsorship/explain-operation.service';
import type { SponsorData } from '../sponsorship/sponsor-data';
import { SponsorUserOperation, type Sponsorship } from '../sponsorship/sponsor-user-operation.service';
import { StubSponsorship } from '../sponsorship/stub-sponsorship.service';
import { tokenToPayIn } from '../token-mode/named-tokens';
import { PayInToken } from '../token-mode/pay-in-token.service';
import { QuoteUserOperation, type FeeQuotes } from '../token-mode/quote-user-operation.service';
import { StubTokenPayment } from '../token-mode/stub-token-payment.service';
import type { OperationRequest, SponsoredRequest, TokenRequest } from './operation-request';

/** The limits that a client goes on with when its user pays. */
export interface UserPays {
  readonly limits: AccountGasLimits;
}

/** All that a dialect can ask of the gateway for an operation. */
@Injectable()
export class Operations {
  constructor(
    private readonly sponsorUserOperation: SponsorUserOperation,
    private readonly payInToken: PayInToken,
    private readonly stubSponsorship: StubSponsorship,
    private readonly stubTokenPayment: StubTokenPayment,
    private readonly quoteUserOperation: QuoteUserOperation,
    private readonly explainOperation: ExplainOperation,
  ) {}

  /** @throws what {@link SponsorUserOperation.sponsor} and {@link PayInToken.pay} throw */
  async sign(request: OperationRequest): Promise<Sponsorship> {
    assertServed(request);
    if (request.mode === 'sponsored') return this.sponsorUserOperation.sponsor(request);
    const { caller, operation, account, calculateGasLimits, expirySeconds, refuseExpiredQuote } = request;
    const asked = { caller, operation, account, calculateGasLimits, expirySeconds, refuseExpiredQuote };
    return this.payInToken.pay({ ...asked, ...tokenOf(request) });
  }

  /**
   * As {@link sign}; where the owner wants users to pay for what the policy refuses (`onRefusal: userPays`), a refusal
   * becomes the limits of the operation.
   */
  async signOrLetUserPay(request: OperationRequest): Promise<Sponsorship | UserPays> {
    assertServed(request);
    try {
      return await this.sign(request);
    } catch (error) {
      const { onRefusal } = request.caller.paymaster.snapshot.settings;
      if (onRefusal !== 'userPays' || !(error instanceof SponsorshipRefusedError)) throw error;
      // An expired quote or a missing token is for the client to put right: its user chose to pay in a token, not in coin.
      if (request.mode === 'token' && !(error.reason in POLICY_REASONS)) throw error;
      return { limits: await this.sponsorUserOperation.limitsForUserPays(request, error) };
    }
  }

  /** Data of the final's length, checked as far as can be known before the estimate, and never valid. */
  async stub(request: OperationRequest): Promise<SponsorData> {
    assertServed(request);
    if (request.mode === 'sponsored') return this.stubSponsorship.stub(request);
    const { caller, operation, account } = request;
    return this.stubTokenPayment.stub({ caller, operation, account, ...tokenOf(request) });
  }

  /** What the operation costs at most in each token named. */
  async quote(request: TokenRequest): Promise<FeeQuotes> {
    assertServed(request);
    return this.quoteUserOperation.quote({ ...request, modeField: request.field });
  }

  /** What {@link sign} would answer, and why; without any effect. */
  async explain(request: SponsoredRequest): Promise<Explanation> {
    assertServed(request);
    return this.explainOperation.explain(request);
  }
}

/** @throws {SponsorshipRefusedError} KEY_SENDER_NOT_ALLOWED @throws {SessionTokenError} */
function assertServed({ caller, operation }: OperationRequest): void {
  const { key } = caller.paymaster.snapshot;
  if (key !== null) assertKeyServesSender(key, operation.sender);
  if (caller.session) assertSessionFor(caller.session, operation.sender);
}

/** The one token to pay in and how it may be pulled. @throws {InvalidParamsError} */
function tokenOf({ tokens, permit, field }: TokenRequest) {
  return { token: tokenToPayIn(tokens), permit, fields: { mode: field, token: tokens.field } };
}
