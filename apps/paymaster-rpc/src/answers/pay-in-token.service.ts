import { Injectable } from '@nestjs/common';
import type { TokenFields, TokenPermit } from '@paymaster/chain';
import type { Address, TraceLine } from '@paymaster/domain';
import { refuseBelow } from '../chains/funding-check';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { bundlersCosts } from '../decide/terms/bundlers-costs';
import { Refusals, type Attempt } from '../decide/verdict/refusals.service';
import type { AskedOfWallet } from '../hold/asked-of-wallet';
import { Reservations } from '../hold/reservations.service';
import { DecisionLog } from '../decide/verdict/decision-log';
import { estimateWhenCovered } from '../decide/limits/estimate-when-covered';
import { assertFee, pickLimits, prechargeOf, sentGasLimits } from '../decide/limits/gas-limits';
import { inTurn } from '../decide/limits/in-turn';
import { ownAnswerAfter } from '../decide/limits/own-answer';
import { namingContractErrors } from '../decide/limits/naming-contract-errors';
import { changedLimits } from '../decide/rules/limit-changes';
import { sponsorTerms } from '../decide/terms/sponsor-terms';
import type { Sponsorship } from './sponsor-user-operation.service';
import {
  askedOf,
  judgeCost,
  judgeGas,
  seeTipsOf,
  callsOf,
  type PolicyQuestion,
} from '../decide/rules/sponsorship-policy';
import { SponsorshipSigner } from '../sign/sponsorship-signer.service';
import { tokenValidityOf, type Validity } from '../decide/terms/validity';
import { advisingApproval } from '../decide/tokens/advise-approval';
import { chooseChargingWay } from '../decide/tokens/choose-charging-way';
import { draftPayment, type PaymentBasis, type PaymentDraft } from '../decide/tokens/draft-payment';
import { enabledTokenMode } from '../decide/tokens/enabled-token-mode';
import { exposedClaims, inWordsOfTokenMode } from '../decide/tokens/exposed-claims';
import { payableIn } from '../decide/tokens/payable-in';
import { promisedPrice } from '../decide/tokens/promised-price';
import { simulatePayment } from '../decide/tokens/simulate-payment';
import { judgeTokenPayment } from '../decide/tokens/token-policy';
import { supportedToken } from '../decide/tokens/supported-token';
import { tokenStub } from '../decide/tokens/token-stub';
import { agreedAmountTooLow } from '../decide/tokens/token-refusals';
import { tokenTerms } from '../decide/tokens/token-terms';

export interface TokenPaymentRequest extends PolicyQuestion {
  /** True: estimate the account's limits. False: sign the sent limits. */
  readonly calculateGasLimits: boolean;
  /** Validity asked for, undefined for the default; seconds. */
  readonly expirySeconds: number | undefined;
  /** The token to pay in. */
  readonly token: Address;
  readonly permit: TokenPermit | undefined;
  /** The most that the sender agrees to pay; base units. */
  readonly maxTokenCharge?: bigint | undefined;
  /** Whether an expired quote of this operation is refused; it is in dialects whose clients quote before they pay. */
  readonly refuseExpiredQuote: boolean;
  /** The field that asks for token mode, for errors. */
  readonly fields: { readonly mode: string; readonly token: string };
}

/** Decides on an operation whose sender pays in a token, and signs it if the payment is certain enough. */
@Injectable()
export class PayInToken {
  constructor(
    private readonly signer: SponsorshipSigner,
    private readonly reservations: Reservations,
    private readonly refusals: Refusals,
    private readonly config: PaymasterRpcConfig,
    private readonly log: DecisionLog,
  ) {}

  /**
   * Token and policy → gas → way of charging → price within the quote → simulation → reserve → sign
   * (docs/architecture/token-mode.md, "The final call").
   *
   * @throws {InvalidParamsError} naming the field; TOKEN_MODE_NOT_ENABLED, TOKEN_NOT_SUPPORTED
   * @throws {SponsorshipRefusedError} when the policy says no, or the sender would not pay
   * @throws {FundingWalletError} when no wallet has the ether that the EntryPoint takes
   * @throws {PriceUnavailableError} when the token has no price
   * @throws {SimulationFailedError} when the operation would fail
   * @throws {DependencyUnavailableError} when the chain is halted or something needed is down
   */
  pay(request: TokenPaymentRequest): Promise<Sponsorship> {
    const attempt: Attempt = { ...request, mode: 'token' };
    const token = { address: request.token, field: request.fields.token };
    return this.refusals.watch(attempt, () =>
      payableIn(token, advisingApproval(request, this.decide(request, attempt))),
    );
  }

  private async decide(request: TokenPaymentRequest, attempt: Attempt): Promise<Sponsorship> {
    const { caller, operation, permit } = request;
    const { chain, paymaster, deadlineMs } = caller;
    const { registry, tokens } = enabledTokenMode(caller, request.fields.mode);
    chain.head.assertNotHalted();
    chain.signer.assertMember(operation.entryPointVersion);
    assertFee(operation);
    const nowSeconds = chain.head.nowSeconds();
    const validity = tokenValidityOf(request.expirySeconds, {
      nowSeconds,
      maxSeconds: Math.min(paymaster.snapshot.settings.maxExpirySeconds, this.config.maxExpirySeconds),
    });

    const token = supportedToken(registry, request.token, request.fields.token);
    const sponsor = sponsorTerms(caller, operation.entryPointVersion);
    const { trace: verdict, accountFacts } = await judgeTokenPayment({
      ...request,
      registry,
      paymasterContract: sponsor.paymaster,
    });
    const basis: PaymentBasis = {
      ...{ caller, operation, tokens, token, sponsor, nowSeconds },
      promised: promisedPrice(tokens, request, nowSeconds),
      rate: tokens.prices.rateOf(token.listing),
      estimated: request.calculateGasLimits
        ? changedLimits(await estimateWhenCovered(request, sponsor, { isPaidInToken: true }), request.limitChanges)
        : null,
    };
    if (!basis.estimated) sentGasLimits(operation, sponsor);
    const isOwnAnswer = basis.estimated !== null && !request.limitChanges;
    await seeTipsOf({ caller, operation });
    assertWithinPolicy(basis, { permit, isOwnAnswer, trace: verdict });

    const [way, walletWei] = await Promise.all([
      chooseChargingWay(tokens.reader, {
        ...{ token, sender: operation.sender, hasPermit: permit !== undefined, deadlineMs },
        payment: () => draftPayment(basis, 'allowance').payment,
      }),
      // Started while the chain is being read, so that the request does not wait for it separately.
      chain.funding.spendableWei({ paymaster: sponsor.paymaster, wallet: sponsor.fundingWallet }),
    ]);
    const draft = draftPayment(basis, way);
    const stub = tokenStub(draft.terms, { rate: basis.rate, permit });
    const bounded = judgeGas({ caller, operation: draft.operation, trace: verdict, isOwnAnswer }, { stub });
    attempt.prechargeWei = draft.prechargeWei;
    const trace = judgeCost({
      ...{ caller, operation: draft.operation, prechargeWei: draft.prechargeWei, trace: bounded },
    });
    // The simulation of a batch costs the most, so it is not run for a wallet that cannot pay.
    if (way === 'batchApproval') refuseBelow(draft.prechargeWei, walletWei);

    const simulating = inTurn(caller, () => simulatePayment(tokens, draft, { permit, deadlineMs }));
    const tokenCallGas = await caller.span.call('simulate').until(namingContractErrors(caller, simulating));
    const final = tokenCallGas === undefined ? draft : draftPayment(basis, way, tokenCallGas);
    if (!basis.estimated) sentGasLimits(operation, final.terms);
    assertWithinAgreed(final, request.maxTokenCharge);
    attempt.prechargeWei = final.prechargeWei;
    const gas = { caller, operation: final.operation, trace, isOwnAnswer };
    const asked = askedOf(gas, final.terms, bundlersCosts(gas, { stub }));
    const reserve = (ofWallet: AskedOfWallet) =>
      this.reserve({ request, final, asked: ofWallet, validity, walletWei, trace });
    await reserve(asked).catch(async (error: unknown) => {
      const signed = { caller, operation: final.operation, account: request.account };
      return reserve(await ownAnswerAfter(error, signed, { terms: { ...final.terms, stub }, sponsor }));
    });
    return this.sign(request, final, { validity, eip7702Delegate: accountFacts?.eip7702Delegate });
  }

  /** Holds the wallet's ether, its exposure and the rate, before the signature is given away. */
  private async reserve({
    request,
    final,
    asked,
    validity,
    walletWei,
    trace,
  }: {
    request: TokenPaymentRequest;
    final: PaymentDraft;
    asked: AskedOfWallet;
    validity: Validity;
    walletWei: bigint;
    trace: readonly TraceLine[];
  }): Promise<void> {
    const { caller } = request;
    const { chain } = caller;
    const { paymasterId } = caller.paymaster.snapshot;
    const { terms, operation, prechargeWei, price } = final;
    const { validUntilSeconds } = validity;
    const { sender, nonce } = operation;
    const { paymaster } = terms;
    const span = caller.span.child('reserve');
    const held = this.reservations.hold({
      ...{ caller, mode: 'token', operation, terms, prechargeWei, asked, validUntilSeconds, trace, span },
      ...{ decoded: callsOf(request), exposure: exposedClaims(caller, final, walletWei) },
    });
    await span.until(
      held.catch((error: unknown) => {
        throw inWordsOfTokenMode(error);
      }),
    );
    chain.tokens?.liveRates.remember({
      key: { paymasterId, paymaster, sender, nonce, token: terms.token.address },
      signed: price,
      ...{ validUntilSeconds, nowSeconds: chain.head.nowSeconds() },
    });
  }

  private async sign(
    { caller, permit }: TokenPaymentRequest,
    { terms, operation, price, prechargeWei }: PaymentDraft,
    { validity, eip7702Delegate }: { validity: Validity; eip7702Delegate: Address | undefined },
  ): Promise<Sponsorship> {
    const fields: TokenFields = {
      ...validity,
      fundingWallet: terms.fundingWallet,
      feeMarkupMillionths: terms.feeMarkupMillionths,
      unaccountedGas: terms.constants.unaccountedGas,
      way: terms.way,
      token: terms.token.address,
      exchangeRate: price.exchangeRate,
      premiumMillionths: price.premiumMillionths,
      feeReceiver: terms.feeReceiver,
      maxTokenChargeBaseUnits: price.maxChargeBaseUnits,
      ...(permit && { permit }),
    };
    const data = await caller.span
      .child('sign')
      .until(this.signer.signTokenPayment({ operation, eip7702Delegate, terms, fields, caller }));
    caller.chain.accounts.signed(operation.sender);
    this.log.paidInToken({
      ...fields,
      ...{ caller, sender: operation.sender, entryPointVersion: operation.entryPointVersion, prechargeWei },
    });
    return { ...data, limits: pickLimits(operation) };
  }
}

/** @throws {SponsorshipRefusedError} QUOTE_CEILING_EXCEEDED, when the charge may be more than the client agrees to */
function assertWithinAgreed({ price, terms }: PaymentDraft, maxTokenCharge: bigint | undefined): void {
  if (maxTokenCharge === undefined || price.maxChargeBaseUnits <= maxTokenCharge) return;
  throw agreedAmountTooLow(terms.token, { agreed: maxTokenCharge, most: price.maxChargeBaseUnits });
}

/**
 * Checks gas and cost as far as they are known before a way of charging is chosen. It comes before the price: limits
 * that are out of bounds may pass the quote's ceiling too, and then a new quote would not help the client.
 *
 * @throws {SponsorshipRefusedError}
 */
function assertWithinPolicy(
  { caller, operation, estimated, sponsor, token, rate }: PaymentBasis,
  {
    permit,
    isOwnAnswer,
    trace,
  }: { permit: TokenPermit | undefined; isOwnAnswer: boolean; trace: readonly TraceLine[] },
): void {
  const limited = { ...operation, ...estimated };
  const terms = tokenTerms(sponsor, { caller, token: token.listing, way: permit ? 'permit' : 'allowance' });
  const bounded = judgeGas(
    { caller, operation: limited, trace, isOwnAnswer },
    { stub: tokenStub(terms, { rate, permit }) },
  );
  judgeCost({ caller, operation, prechargeWei: prechargeOf(limited, sponsor), trace: bounded });
}
