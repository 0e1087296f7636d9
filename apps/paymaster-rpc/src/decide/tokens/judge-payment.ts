import type { TokenPermit } from '@paymaster/chain';
import { refusedAfter, type Address, type TraceLine } from '@paymaster/domain';
import { refuseBelow } from '../../chains/funding-check';
import type { AskedOfWallet } from '../../hold/asked-of-wallet';
import { estimateWhenCovered } from '../limits/estimate-when-covered';
import { assertFee, prechargeOf, sentGasLimits } from '../limits/gas-limits';
import { inTurn } from '../limits/in-turn';
import { namingContractErrors } from '../limits/naming-contract-errors';
import { changedLimits } from '../rules/limit-changes';
import { askedOf, judgeCosts, seeTipsOf, type PolicyQuestion } from '../rules/sponsorship-policy';
import { bundlersCosts } from '../terms/bundlers-costs';
import type { SponsorData } from '../terms/sponsor-data';
import { sponsorTerms } from '../terms/sponsor-terms';
import { tokenValidityOf, validityBounds, type Validity } from '../terms/validity';
import { chooseChargingWay } from './choose-charging-way';
import { draftPayment, type PaymentBasis, type PaymentDraft } from './draft-payment';
import { enabledTokenMode, type EnabledTokenMode } from './enabled-token-mode';
import { promisedPrice } from './promised-price';
import { simulatePayment } from './simulate-payment';
import { supportedToken } from './supported-token';
import { judgeTokenPayment, type PayableOperation } from './token-policy';
import { agreedAmountTooLow } from './token-refusals';
import { tokenStub } from './token-stub';
import { tokenTerms } from './token-terms';

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

/** Facts, verdict and limits of an operation that may be paid in a token. */
interface Payable extends PaymentBasis, PayableOperation {
  readonly tokens: EnabledTokenMode['tokens'];
  /** The limits are this platform's own, unchanged. */
  readonly isOwnAnswer: boolean;
}

/** What the stages found of a payment that can be signed, side by side. */
export interface PaymentJudgement {
  readonly validity: Validity;
  readonly payable: Payable;
  /** As it would be signed. */
  readonly payment: PaymentDraft;
  readonly stub: SponsorData;
  readonly asked: AskedOfWallet;
  /** What the funding wallet has. */
  readonly walletWei: bigint;
  /** Up to the gas and the cost, which are within their bounds. */
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
  const { caller, permit } = request;
  const mode = enabledTokenMode(caller, request.fields.mode);
  caller.chain.head.assertNotHalted();
  caller.chain.signer.assertMember(request.operation.entryPointVersion);
  assertFee(request.operation);
  const bounds = validityBounds(caller, config);
  const validity = tokenValidityOf(request.expirySeconds, bounds);

  const payable = await payableOf(request, { mode, nowSeconds: bounds.nowSeconds });
  judgeBeforeWay(payable, permit);
  const { sponsor, rate, isOwnAnswer } = payable;
  const [way, walletWei] = await Promise.all([
    wayOf(payable, permit),
    // Started while the chain is being read, so that the request does not wait for it separately.
    caller.chain.funding.spendableWei({ paymaster: sponsor.paymaster, wallet: sponsor.fundingWallet }),
  ]);
  const draft = draftPayment(payable, way);
  const { prechargeWei } = draft;
  try {
    const stub = tokenStub(draft.terms, { rate, permit });
    const drafted = { caller, operation: draft.operation, trace: payable.trace, isOwnAnswer };
    const { trace } = judgeCosts(drafted, { stub, prechargeWei });
    // The simulation of a batch costs the most, so it is not run for a wallet that cannot pay.
    if (way === 'batchApproval') refuseBelow(prechargeWei, walletWei);
    const payment = await simulated(payable, { draft, permit });
    assertWithinAgreed(payment, request.maxTokenCharge);
    const final = { caller, operation: payment.operation, isOwnAnswer };
    const asked = askedOf(final, payment.terms, bundlersCosts(final, { stub }));
    return { validity, payable, payment, stub, asked, walletWei, trace };
  } catch (error) {
    throw refusedAfter({ trace: payable.trace, prechargeWei }, error);
  }
}

/** Facts → verdict → what was promised → price of now → limits. */
async function payableOf(
  request: TokenPaymentRequest,
  { mode: { registry, tokens }, nowSeconds }: { mode: EnabledTokenMode; nowSeconds: number },
): Promise<Payable> {
  const { caller, operation, limitChanges, calculateGasLimits } = request;
  const token = supportedToken(registry, request.token, request.fields.token);
  const sponsor = sponsorTerms(caller, operation.entryPointVersion);
  const verdict = await judgeTokenPayment({ ...request, registry, paymasterContract: sponsor.paymaster });
  const promised = promisedPrice(tokens, request, nowSeconds);
  const rate = tokens.prices.rateOf(token.listing);
  const estimated = calculateGasLimits
    ? changedLimits(await estimateWhenCovered(request, sponsor, { isPaidInToken: true }), limitChanges)
    : null;
  if (!estimated) sentGasLimits(operation, sponsor);
  const seeing = seeTipsOf(request);
  if (seeing) await seeing;
  const isOwnAnswer = estimated !== null && !limitChanges;
  return { caller, operation, tokens, token, sponsor, nowSeconds, promised, rate, estimated, isOwnAnswer, ...verdict };
}

/**
 * Checks gas and cost as far as they are known before a way of charging is chosen. It comes before the price: limits
 * that are out of bounds may pass the quote's ceiling too, and then a new quote would not help the client.
 *
 * @throws {SponsorshipRefusedError}
 */
function judgeBeforeWay(payable: Payable, permit: TokenPermit | undefined): void {
  const { caller, sponsor, token, rate, trace, isOwnAnswer } = payable;
  const operation = { ...payable.operation, ...payable.estimated };
  const terms = tokenTerms(sponsor, { caller, token: token.listing, way: permit ? 'permit' : 'allowance' });
  const cost = { stub: tokenStub(terms, { rate, permit }), prechargeWei: prechargeOf(operation, sponsor) };
  judgeCosts({ caller, operation, trace, isOwnAnswer }, cost);
}

function wayOf(payable: Payable, permit: TokenPermit | undefined) {
  const { caller, operation, tokens, token } = payable;
  return chooseChargingWay(tokens.reader, {
    ...{ token, sender: operation.sender, hasPermit: permit !== undefined, deadlineMs: caller.deadlineMs },
    payment: () => draftPayment(payable, 'allowance').payment,
  });
}

/** The payment with the gas that the token's call took, where that could be simulated. */
async function simulated(
  payable: Payable,
  { draft, permit }: { draft: PaymentDraft; permit: TokenPermit | undefined },
): Promise<PaymentDraft> {
  const { caller, operation, tokens, estimated } = payable;
  const { deadlineMs } = caller;
  const simulating = inTurn(caller, () => simulatePayment(tokens, draft, { permit, deadlineMs }));
  const tokenCallGas = await caller.span.call('simulate').until(namingContractErrors(caller, simulating));
  const payment = tokenCallGas === undefined ? draft : draftPayment(payable, draft.terms.way, tokenCallGas);
  if (!estimated) sentGasLimits(operation, payment.terms);
  return payment;
}

/** @throws {SponsorshipRefusedError} QUOTE_CEILING_EXCEEDED, when the charge may be more than the client agrees to */
function assertWithinAgreed({ price, terms }: PaymentDraft, maxTokenCharge: bigint | undefined): void {
  if (maxTokenCharge === undefined || price.maxChargeBaseUnits <= maxTokenCharge) return;
  throw agreedAmountTooLow(terms.token, { agreed: maxTokenCharge, most: price.maxChargeBaseUnits });
}
