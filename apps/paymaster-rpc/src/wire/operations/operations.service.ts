import { Injectable } from '@nestjs/common';
import { SponsorshipRefusedError, type AccountGasLimits } from '@paymaster/domain';
import { POLICY_REASONS } from '@paymaster/policy';
import { Bundling } from '../../bundlers/bundling.service';
import { assertKeyServesSender } from '../../callers/key-grants';
import { assertSessionFor } from '../../callers/session-tokens';
import { PaymasterSuspendedError } from '../../callers/suspension';
import { ExplainOperation, type Explanation } from '../../answers/explain-operation.service';
import { SignWhenSent } from '../../answers/sign-when-sent.service';
import { SponsorUserOperation, type Sponsorship } from '../../answers/sponsor-user-operation.service';
import { StubSponsorship } from '../../answers/stub-sponsorship.service';
import type { MeasuredQuestion, Stub } from '../../decide/limits/unset-limits';
import type { SponsorRequest } from '../../decide/verdict/judge-operation.service';
import { tokenToPayIn, type TokenPaymentRequest, type TokenRequest } from '../../decide/tokens/named-tokens';
import { PayInToken } from '../../answers/pay-in-token.service';
import { QuoteUserOperation, type FeeQuotes } from '../../answers/quote-user-operation.service';
import { StubTokenPayment } from '../../answers/stub-token-payment.service';

/** What a client wants for an operation, whichever dialect it speaks. */
export type OperationRequest = SponsorRequest | TokenRequest;

/** The limits with which a client continues when its user pays. */
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
    private readonly signWhenSent: SignWhenSent,
    /** The operator's bundlers. */
    readonly bundling: Bundling,
  ) {}

  /** @throws what {@link SponsorUserOperation.sponsor} and {@link PayInToken.pay} throw */
  async sign(request: OperationRequest): Promise<Sponsorship> {
    assertServed(request);
    if (request.mode === 'sponsored') return this.sponsor(request);
    return this.payInToken.pay(inOneToken(request));
  }

  /** On EntryPoint v0.9, where the owner wants it, the data have a placeholder until the operation is sent. */
  private sponsor(request: SponsorRequest): Promise<Sponsorship> {
    if (this.signWhenSent.applies(request)) return this.signWhenSent.promise(request);
    return this.sponsorUserOperation.sponsor(request);
  }

  /**
   * Like {@link sign}. But if the owner wants users to pay when the policy refuses (`onRefusal: userPays`), the answer
   * to a refused operation is its limits.
   */
  async signOrLetUserPay(request: OperationRequest): Promise<Sponsorship | UserPays> {
    assertServed(request);
    try {
      return await this.sign(request);
    } catch (error) {
      const { onRefusal } = request.caller.paymaster.snapshot.settings;
      if (onRefusal !== 'userPays' || !(error instanceof SponsorshipRefusedError)) throw error;
      if (error instanceof PaymasterSuspendedError) throw error;
      // An expired quote or missing tokens stay errors, because the client's user chose to pay in a token, not in coin.
      if (request.mode === 'token' && !(error.reason in POLICY_REASONS)) throw error;
      return { limits: await this.sponsorUserOperation.limitsForUserPays(request, error) };
    }
  }

  /**
   * Paymaster data as long as the final data, and never valid. The operation is checked as far as possible before its
   * estimate. The answer also has the limits that the client has not set, if they can be measured.
   */
  async stub(request: OperationRequest & Pick<MeasuredQuestion, 'sentFees'>): Promise<Stub> {
    assertServed(request);
    if (request.mode === 'sponsored') return this.stubSponsorship.stub(request);
    return this.stubTokenPayment.stub(inOneToken(request));
  }

  /**
   * Whether the key serves the operation's account at all, whatever the policies say.
   *
   * @throws {SponsorshipRefusedError} KEY_SENDER_NOT_ALLOWED
   * @throws {SessionTokenError}
   */
  assertServed(request: OperationRequest): void {
    assertServed(request);
  }

  /**
   * Whether the policy would sponsor the operation now; has no effect. First ask {@link assertServed}.
   *
   * @throws what {@link stub} throws, if the policy would not sponsor it
   */
  async judge(request: SponsorRequest): Promise<void> {
    await this.stubSponsorship.judge(request);
  }

  /** The most that the operation costs in each named token. */
  async quote(request: TokenRequest): Promise<FeeQuotes> {
    assertServed(request);
    return this.quoteUserOperation.quote(request);
  }

  /** The answer that {@link sign} would give, with its reasons; has no effect. */
  async explain(request: SponsorRequest): Promise<Explanation> {
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

/** @throws {InvalidParamsError} when the request names several tokens, or none */
function inOneToken<Request extends TokenRequest>(request: Request): Request & TokenPaymentRequest {
  return { ...request, token: tokenToPayIn(request.tokens) };
}
