import type { Address } from '@paymaster/domain';
import type { BudgetClaim } from './ledger';

interface ExposedOperation {
  readonly chainId: number;
  /** It bears what is not paid, in whatever contract of ours it has its ether. */
  readonly wallet: Address;
  readonly token: Address;
  readonly sender: Address;
}

/** The budgets of what one wallet may lose by a token, and by a sender. Settlement finds them by these names. */
export function exposureKeys({
  chainId,
  wallet,
  token,
  sender,
}: ExposedOperation): [ofToken: string, ofSender: string] {
  const prefix = `exposure:${chainId}:${wallet}`;
  return [`${prefix}:token:${token}`, `${prefix}:sender:${sender}`];
}

/**
 * What a payment that can fail after the operation asks of the caps of its wallet: per token, and per sender over all
 * tokens. The amount is held until the operation is final or can't land any more; it is spent where it did not pay.
 *
 * @returns the token's claim, then the sender's
 */
export function exposureClaims(
  payment: ExposedOperation & {
    readonly prechargeWei: bigint;
    readonly tokenCapWei: bigint;
    readonly senderCapWei: bigint;
  },
): readonly [BudgetClaim, BudgetClaim] {
  const { prechargeWei: amount, tokenCapWei, senderCapWei } = payment;
  const [ofToken, ofSender] = exposureKeys(payment);
  const claim = { live: false, unit: 'exposureWei', amount } as const;
  return [
    { ...claim, key: ofToken, limit: tokenCapWei, refusal: CAP_REACHED.token },
    { ...claim, key: ofSender, limit: senderCapWei, refusal: CAP_REACHED.sender },
  ];
}

/** Made once. */
const CAP_REACHED = {
  token: refusalOf('token', 'in this token'),
  sender: refusalOf('sender', 'of this account'),
};

function refusalOf(of: string, whose: string): BudgetClaim['refusal'] {
  return {
    rule: `exposure:${of}`,
    reason: 'TOKEN_EXPOSURE_CAP_REACHED',
    message: `too many operations ${whose} that pay with an approval in their own batch are still unpaid; pay from an allowance given before`,
  };
}
