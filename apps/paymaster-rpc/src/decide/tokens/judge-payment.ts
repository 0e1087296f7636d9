import { refusedAfter, type ChargingWay, type TraceLine } from '@paymaster/domain';
import { refuseBelow } from '../../chains/funding-check';
import type { AskedOfWallet } from '../../hold/client-ask';
import { estimateWhenCovered } from '../limits/estimate-when-covered';
import { assertSignable, prechargeOf, sentGasLimits } from '../limits/gas-limits';
import { inTurn } from '../limits/in-turn';
import { namingContractErrors } from '../limits/naming-contract-errors';
import { changedLimits } from '../rules/limit-changes';
import { askedOf, comparedGas, judgeCosts, seeTipsOf } from '../rules/sponsorship-policy';
import type { SponsorData } from '../terms/sponsor-data';
import { sponsorTerms } from '../terms/sponsor-terms';
import { tokenValidityOf, validityBounds, type Validity } from '../terms/validity';
import { chooseChargingWay } from './choose-charging-way';
import { draftPayment, type OpenedPayment, type PaymentBasis, type PaymentDraft } from './draft-payment';
import { enabledTokenMode } from './enabled-token-mode';
import type { TokenPaymentRequest } from './named-tokens';
import { promisedPrice } from './promised-price';
import { simulatePayment } from './simulate-payment';
import { supportedToken } from './supported-token';
import { judgeTokenPayment } from './token-policy';
import { agreedAmountTooLow } from './token-refusals';
import { tokenStub } from './token-stub';
import { tokenTerms } from './token-terms';

/** What the stages found of a payment that can be signed, side by side. */
export interface PaymentJudgement {
  readonly validity: Validity;
  readonly basis: PaymentBasis;
  /** As it would be signed. */
  readonly payment: PaymentDraft;
  readonly stub: SponsorData;
  readonly asked: AskedOfWallet;
  /** What the funding wallet has. */
  readonly walletWei: bigint;
  /** Up to gas and cost, which are within their bounds. */
  readonly trace: readonly TraceLine[];
}

/**
 * Token and policy → gas → way of charging → price within the quote → cost → simulation. Has no effect.
 *
 * @throws what {@link PayInToken.pay} throws before it holds something; a refusal says what was found out before
 */
export async function judgePayment(
  request: TokenPaymentRequest,
  config: { readonly maxExpirySeconds: number },
): Promise<PaymentJudgement> {
  const { caller } = request;
  const { funding } = caller.chain;
  const opened = await openPayment(request);
  const bounds = validityBounds(caller, config);
  const validity = tokenValidityOf(request.expirySeconds, bounds);
  const basis = await basisOf(request, { opened, nowSeconds: bounds.nowSeconds });
  judgeBeforeWay(basis);
  const { sponsor, isOwnAnswer } = basis;
  const [way, walletWei] = await Promise.all([
    wayOf(basis),
    // Started while the chain is being read, so that the request does not wait for it separately.
    funding.spendableWei({ paymaster: sponsor.paymaster, wallet: sponsor.fundingWallet }),
  ]);
  const draft = draftPayment(basis, way);
  const { prechargeWei } = draft;
  try {
    const stub = tokenStub(draft.terms, basis);
    const drafted = { caller, operation: draft.operation, trace: basis.trace, isOwnAnswer };
    const { trace } = judgeCosts(drafted, { stub, prechargeWei });
    // The simulation of a batch costs the most, so it is not run for a wallet that cannot pay.
    if (way === 'batchApproval') refuseBelow(prechargeWei, walletWei);
    const payment = await simulated(basis, draft);
    assertWithinAgreed(payment, request.maxTokenCharge);
    const gas = { caller, operation: payment.operation, isOwnAnswer };
    const asked = askedOf(gas, payment.terms, comparedGas(gas, { stub }));
    return { validity, basis, payment, stub, asked, walletWei, trace };
  } catch (error) {
    throw refusedAfter({ trace: basis.trace, prechargeWei }, error);
  }
}

/**
 * Looks up token and terms, and asks the policy whether the operation may be paid in tokens.
 *
 * @param isStub true: nothing will be signed
 */
export async function openPayment(request: TokenPaymentRequest, isStub = false): Promise<OpenedPayment> {
  const { caller, operation, token: address } = request;
  const { registry, tokens } = enabledTokenMode(caller, request.field);
  if (!isStub) assertSignable(caller, operation);
  const token = supportedToken(registry, address, request.tokens.field);
  const sponsor = sponsorTerms(caller, operation.entryPointVersion);
  const verdict = await judgeTokenPayment({ ...request, registry, paymasterContract: sponsor.paymaster, isStub });
  return { ...verdict, tokens, token, sponsor };
}

/** What was promised → the price of now → limits. */
async function basisOf(
  request: TokenPaymentRequest,
  { opened, nowSeconds }: { opened: OpenedPayment; nowSeconds: number },
): Promise<PaymentBasis> {
  const { caller, operation, permit, limitChanges } = request;
  const { tokens, token, sponsor } = opened;
  const promised = promisedPrice(tokens, request, nowSeconds);
  const rate = tokens.prices.rateOf(token.listing);
  const estimated = request.calculateGasLimits
    ? changedLimits(await estimateWhenCovered(request, sponsor, { isPaidInToken: true }), limitChanges)
    : null;
  if (!estimated) sentGasLimits(operation, sponsor);
  const seeing = seeTipsOf(request);
  if (seeing) await seeing;
  const isOwnAnswer = estimated !== null && !limitChanges;
  return { ...opened, caller, operation, permit, nowSeconds, promised, rate, estimated, isOwnAnswer };
}

/**
 * Checks gas and cost as far as they are known before a way of charging is chosen. It comes before the price: limits
 * that are out of bounds may pass the quote's ceiling too, and then a new quote would not help the client.
 *
 * @throws {SponsorshipRefusedError}
 */
function judgeBeforeWay(basis: PaymentBasis): void {
  const { caller, sponsor, token, permit, trace, isOwnAnswer } = basis;
  const operation = { ...basis.operation, ...basis.estimated };
  const terms = tokenTerms(sponsor, { caller, token: token.listing, way: permit ? 'permit' : 'allowance' });
  const cost = { stub: tokenStub(terms, basis), prechargeWei: prechargeOf(operation, sponsor) };
  judgeCosts({ caller, operation, trace, isOwnAnswer }, cost);
}

function wayOf(basis: PaymentBasis): Promise<ChargingWay> {
  const { caller, operation, tokens, token, permit } = basis;
  return chooseChargingWay(tokens.reader, {
    ...{ token, sender: operation.sender, hasPermit: permit !== undefined, deadlineMs: caller.deadlineMs },
    payment: () => draftPayment(basis, 'allowance').payment,
  });
}

/** The payment with the gas that the token's call took, where that could be simulated. */
async function simulated(basis: PaymentBasis, draft: PaymentDraft): Promise<PaymentDraft> {
  const { caller, operation, tokens, estimated, permit } = basis;
  const simulating = inTurn(caller, () => simulatePayment(tokens, draft, { permit, deadlineMs: caller.deadlineMs }));
  const tokenCallGas = await caller.span.call('simulate').until(namingContractErrors(caller, simulating));
  const payment = tokenCallGas === undefined ? draft : draftPayment(basis, draft.terms.way, tokenCallGas);
  if (!estimated) sentGasLimits(operation, payment.terms);
  return payment;
}

/** @throws {SponsorshipRefusedError} QUOTE_CEILING_EXCEEDED, when the charge may be more than the client agrees to */
function assertWithinAgreed({ price, terms }: PaymentDraft, maxTokenCharge: bigint | undefined): void {
  if (maxTokenCharge === undefined || price.maxChargeBaseUnits <= maxTokenCharge) return;
  throw agreedAmountTooLow(terms.token, { agreed: maxTokenCharge, most: price.maxChargeBaseUnits });
}
