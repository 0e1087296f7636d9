import type { Address } from '@paymaster/domain';
import type { BudgetClaim } from './ledger';

interface ExposedOperation {
  readonly chainId: number;
  /** The funding wallet that bears the loss. The caps count over all paymaster contracts in which it has ether. */
  readonly wallet: Address;
  readonly token: Address;
  readonly sender: Address;
}

/**
 * The keys of the budgets for what one wallet may lose by a token, and by a sender. Settlement finds the budgets by
 * these keys.
 */
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
 * The claims of a payment that can fail after the operation's calls: on the wallet's cap for the token, and on its cap
 * for the sender over all tokens. The amount is held until the operation is final or can no longer land. It becomes
 * spent if the operation did not pay. The sender's cap counts only what is known to be unpaid.
 *
 * @returns the token's claim, then the sender's
 */
export function exposureClaims(
  payment: ExposedOperation & {
    readonly prechargeWei: bigint;
    readonly tokenCapWei: bigint;
    readonly senderCapWei: bigint;
    /** True: nobody has set the token's cap, so it does not hold against what settlement has not seen while it is late. */
    readonly isDefaultCap?: boolean;
  },
): readonly [BudgetClaim, BudgetClaim] {
  const { prechargeWei: amount, tokenCapWei, senderCapWei, isDefaultCap: liftsWhenLate = false } = payment;
  const [ofToken, ofSender] = exposureKeys(payment);
  const claim = { live: false, unit: 'exposureWei', amount } as const;
  return [
    { ...claim, key: ofToken, limit: tokenCapWei, liftsWhenLate, refusal: CAP_REACHED.token },
    { ...claim, key: ofSender, limit: senderCapWei, refusal: CAP_REACHED.sender },
  ];
}

/** Made once, to save time per request. */
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
