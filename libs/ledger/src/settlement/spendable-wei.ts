/** An event of a block that is not final and that can make a wallet poorer. */
export interface WalkedEvent {
  /** `charge`: the part of an operation's cost that no hold covers. */
  readonly kind: 'withdrawalRequested' | 'withdrawalExecuted' | 'charge';
  readonly amountWei: bigint;
}

/**
 * How much a wallet can promise: the smallest value that balance minus request has after any prefix of the events;
 * never below zero.
 *
 * Any suffix of the events may still be undone, so each prefix could be how the chain ends. Events that make a wallet
 * richer (deposits, returns, cancelled requests) are left out, because they count only when they are final.
 *
 * @param wallet balance and withdrawal request as of the final block, and the events after it in the chain's order
 */
export function spendableWei(wallet: {
  readonly balanceWei: bigint;
  readonly requestedWei: bigint;
  readonly events: readonly WalkedEvent[];
}): bigint {
  let { balanceWei, requestedWei } = wallet;
  let least = balanceWei - requestedWei;
  for (const { kind, amountWei } of wallet.events) {
    // A new request replaces the one before it (FundingWallets.requestWithdrawal).
    if (kind === 'withdrawalRequested') requestedWei = amountWei;
    else balanceWei -= amountWei;
    if (kind === 'withdrawalExecuted') requestedWei = 0n;
    const now = balanceWei - requestedWei;
    if (now < least) least = now;
  }
  return least > 0n ? least : 0n;
}
