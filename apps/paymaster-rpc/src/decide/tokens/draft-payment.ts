import type { TokenPermit } from '@paymaster/chain';
import type { AccountGasLimits, ChargingWay, UserOperation } from '@paymaster/domain';
import type { TokenQuote, TokenRate } from '@paymaster/pricing';
import type { Caller } from '../../callers/caller';
import type { ServedTokens } from '../../chains/served-tokens';
import { prechargeOf } from '../limits/gas-limits';
import type { SponsorTerms } from '../terms/sponsor-terms';
import { priceOperation } from './price-operation';
import type { QuotedPrice } from '../../chains/quotes/live-quotes';
import type { NeededPayment } from './token-refusals';
import type { SupportedToken } from '../../chains/token-registry';
import type { PayableOperation } from './token-policy';
import { tokenTerms, withTokenGas, type TokenTerms } from './token-terms';

/** Facts and verdict of an operation that is to be paid in one token. */
export interface OpenedPayment extends PayableOperation {
  readonly tokens: ServedTokens;
  readonly token: SupportedToken;
  readonly sponsor: SponsorTerms;
}

/** Everything that decides a payment, except the way of charging and the gas of the token's call. */
export interface PaymentBasis extends OpenedPayment {
  readonly caller: Caller;
  readonly operation: UserOperation;
  readonly permit: TokenPermit | undefined;
  /** Limits as sponsorship needs them; null to sign the operation's own limits unchanged. */
  readonly estimated: AccountGasLimits | null;
  /** The limits are this platform's own, unchanged. */
  readonly isOwnAnswer: boolean;
  readonly rate: TokenRate;
  /** The promise of the operation's live quote, if there is one. */
  readonly promised: QuotedPrice | undefined;
  readonly nowSeconds: number;
}

/** A payment as it could be signed. */
export interface PaymentDraft {
  readonly terms: TokenTerms;
  /** With its final gas limits. */
  readonly operation: UserOperation;
  readonly prechargeWei: bigint;
  readonly price: TokenQuote;
  readonly payment: NeededPayment;
}

/**
 * Terms → limits → precharge → price, for one way of charging.
 *
 * @param tokenCallGas of the token's call in `postOp`, as simulated
 * @throws {SponsorshipRefusedError} QUOTE_CEILING_EXCEEDED
 * @throws {PriceUnavailableError}
 */
export function draftPayment(basis: PaymentBasis, way: ChargingWay, tokenCallGas?: bigint): PaymentDraft {
  const { caller, sponsor, estimated, token, rate, promised, nowSeconds } = basis;
  const terms = tokenTerms(sponsor, {
    ...{ caller, token: token.listing, way },
    ...(tokenCallGas !== undefined && { tokenCallGas }),
  });
  const limits = estimated && withTokenGas({ ...basis, limits: estimated, terms, approveHeadroom: false });
  const operation = { ...basis.operation, ...limits };
  const prechargeWei = prechargeOf(operation, terms);
  const { paymasterId } = caller.paymaster.snapshot;
  const { sender, nonce } = operation;
  const liveRates = basis.tokens.liveRates.of({ paymasterId, paymaster: terms.paymaster, sender, nonce }, nowSeconds);
  const price = priceOperation(liveRates, { token: token.listing, rate, maxCostWei: prechargeWei, promised });
  const payment = {
    token: token.listing,
    amountBaseUnits: price.maxChargeBaseUnits,
    spender: terms.paymaster,
  };
  return { terms, operation, prechargeWei, price, payment };
}
