import { SponsorshipRefusedError, type Address, type ChargingWay, type TokenListing } from '@paymaster/domain';
import type { TokenReason } from '../errors/token-reasons';
import type { SupportedToken } from './token-registry';

/** What a payment in tokens needs of the account. */
export interface NeededPayment {
  readonly token: TokenListing;
  /** The most the sender pays. */
  readonly amountBaseUnits: bigint;
  /** The paymaster's contract, which has to be approved. */
  readonly spender: Address;
}

/** SDKs look for this phrase in the message. */
export function balanceTooLow({ token, amountBaseUnits }: NeededPayment, balance: bigint): SponsorshipRefusedError {
  return refusal(
    'TOKEN_BALANCE_TOO_LOW',
    `account does not have enough token balance: the operation can cost up to ${amountBaseUnits} base units of ${token.symbol}, ${token.decimals} decimals.`,
    { balanceBaseUnits: balance.toString() },
  );
}

const HOW_TO_APPROVE: Readonly<Record<ChargingWay, string>> = {
  allowance: 'in an operation of its own first',
  permit: 'or send a permit of that value, whose owner, nonce and deadline are right',
  batchApproval: "in front of the operation's calls",
};

/** The message says which token to approve, and for which spender. */
export function allowanceTooLow(payment: NeededPayment, allowance: bigint, way: ChargingWay): SponsorshipRefusedError {
  const { token, amountBaseUnits, spender } = payment;
  return refusal(
    'TOKEN_ALLOWANCE_TOO_LOW',
    `account has not approved the paymaster: call approve(${spender}, ${amountBaseUnits}) on ${token.symbol} ${token.address}, ${HOW_TO_APPROVE[way]}.`,
    { allowanceBaseUnits: allowance.toString() },
  );
}

/**
 * The same refusal before the cost is known. Otherwise the client would only hear from its bundler that `postOp`
 * reverted (AA50).
 */
export function notApproved(
  { listing: { symbol, address }, ways }: Pick<SupportedToken, 'listing' | 'ways'>,
  { spender, allowanceBaseUnits }: { spender: Address; allowanceBaseUnits: bigint },
): SponsorshipRefusedError {
  const where = ways.includes('batchApproval') ? HOW_TO_APPROVE.batchApproval : HOW_TO_APPROVE.allowance;
  const orPermit = ways.includes('permit') ? ', or send a permit' : '';
  return refusal(
    'TOKEN_ALLOWANCE_TOO_LOW',
    `account has not approved the paymaster: call approve(${spender}, the most the operation can cost) on ${symbol} ${address} ${where}${orPermit}.`,
    { allowanceBaseUnits: allowanceBaseUnits.toString() },
  );
}

export function paymentFails({ token }: Pick<NeededPayment, 'token'>, returned: string): SponsorshipRefusedError {
  return refusal('TOKEN_PAYMENT_FAILS', `${token.symbol} ${token.address} refuses the payment in simulation.`, {
    returned,
  });
}

export function wayNotAvailable(sentence: string): SponsorshipRefusedError {
  return refusal('TOKEN_WAY_NOT_AVAILABLE', sentence);
}

export function permitNotTaken({ symbol }: TokenListing): SponsorshipRefusedError {
  return wayNotAvailable(`${symbol} is not charged by permit here; leave the permit out.`);
}

export function permitNeeded({ symbol }: TokenListing): SponsorshipRefusedError {
  return wayNotAvailable(`${symbol} is charged by permit only, and the request has none.`);
}

/** The client named the most that its user agrees to pay. */
export function agreedAmountTooLow(
  { symbol }: TokenListing,
  { agreed, most }: { agreed: bigint; most: bigint },
): SponsorshipRefusedError {
  return refusal(
    'QUOTE_CEILING_EXCEEDED',
    `The operation can cost up to ${most} base units of ${symbol}; the request agrees to ${agreed}.`,
  );
}

export function quoteExpired(): SponsorshipRefusedError {
  return refusal('QUOTE_EXPIRED', 'The fee quote of this operation has expired; ask for another one.');
}

function refusal(reason: TokenReason, message: string, details: Record<string, unknown> = {}): SponsorshipRefusedError {
  return new SponsorshipRefusedError(reason, message, [], details);
}
