import {
  SponsorshipRefusedError,
  type Address,
  type ChargingWay,
  type TokenListing,
  type TokenReason,
} from '@paymaster/domain';
import type { SupportedToken } from '../../chains/token-registry';

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

const BATCH_APPROVAL_IS_OFF =
  "An approve in front of the operation's calls does not count: the paymaster has no contract and no policy, and its owner has not set allowBatchApprovalWithoutRules.";

/** The sender has not approved the paymaster. What it should do is said apart, because it may not work. */
export class AllowanceTooLowError extends SponsorshipRefusedError {
  constructor(
    /** How to approve. */
    readonly advice: string,
    allowanceBaseUnits: bigint,
    /** What does not count as an approval; a sentence behind the advice. */
    private readonly remark = '',
  ) {
    const details = { allowanceBaseUnits: allowanceBaseUnits.toString() };
    super('TOKEN_ALLOWANCE_TOO_LOW' satisfies TokenReason, messageOf(advice, remark), [], details);
  }

  /** The same refusal with other advice, which may be empty. */
  advising(advice: string): SponsorshipRefusedError {
    return new SponsorshipRefusedError(this.reason, messageOf(advice, this.remark), [], this.details);
  }
}

function messageOf(advice: string, remark: string): string {
  const told = `account has not approved the paymaster${advice && `: ${advice}`}.`;
  return remark === '' ? told : `${told} ${remark}`;
}

/** The message says which token to approve, and for which spender. */
export function allowanceTooLow(
  { token, amountBaseUnits, spender }: NeededPayment,
  allowance: bigint,
  { way, lacksBatchApproval = false }: { way: ChargingWay; lacksBatchApproval?: boolean },
): SponsorshipRefusedError {
  const call = `call approve(${spender}, ${amountBaseUnits}) on ${token.symbol} ${token.address}`;
  const remark = lacksBatchApproval ? BATCH_APPROVAL_IS_OFF : '';
  return new AllowanceTooLowError(`${call}, ${HOW_TO_APPROVE[way]}`, allowance, remark);
}

/**
 * The same refusal before the cost is known. Otherwise the client would only hear from its bundler that `postOp`
 * reverted (AA50).
 */
export function notApproved(
  { listing: { symbol, address }, ways, lacksBatchApproval }: Omit<SupportedToken, 'gasKind'>,
  { spender, allowanceBaseUnits }: { spender: Address; allowanceBaseUnits: bigint },
): SponsorshipRefusedError {
  const where = ways.includes('batchApproval') ? HOW_TO_APPROVE.batchApproval : HOW_TO_APPROVE.allowance;
  const orPermit = ways.includes('permit') ? ', or send a permit' : '';
  const call = `call approve(${spender}, the most the operation can cost) on ${symbol} ${address}`;
  const remark = lacksBatchApproval ? BATCH_APPROVAL_IS_OFF : '';
  return new AllowanceTooLowError(`${call} ${where}${orPermit}`, allowanceBaseUnits, remark);
}

export function paymentFails({ token }: Pick<NeededPayment, 'token'>, returned: string): SponsorshipRefusedError {
  return refusal('TOKEN_PAYMENT_FAILS', `${token.symbol} ${token.address} refuses the payment in simulation.`, {
    returned,
  });
}

export function wayNotAvailable(sentence: string): SponsorshipRefusedError {
  return refusal('TOKEN_WAY_NOT_AVAILABLE', sentence);
}

/** For a token that is charged in no other way. */
export function batchApprovalIsOff({ symbol }: TokenListing): SponsorshipRefusedError {
  return wayNotAvailable(`${symbol} is charged by batchApproval only. ${BATCH_APPROVAL_IS_OFF}`);
}

export function permitNotTaken({ symbol }: TokenListing): SponsorshipRefusedError {
  return wayNotAvailable(`${symbol} is not charged by permit here; leave the permit out.`);
}

export function permitNeeded({
  listing: { symbol },
  lacksBatchApproval,
}: Pick<SupportedToken, 'listing' | 'lacksBatchApproval'>): SponsorshipRefusedError {
  const sentence = `${symbol} is charged by permit only, and the request has none.`;
  return wayNotAvailable(lacksBatchApproval ? `${sentence} ${BATCH_APPROVAL_IS_OFF}` : sentence);
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
