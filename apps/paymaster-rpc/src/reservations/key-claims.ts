import type { Address } from '@paymaster/domain';
import type { BudgetClaim } from '@paymaster/ledger';
import { keyLimitClaims } from '@paymaster/policy';
import type { Caller } from '../callers/caller';

const NONE: readonly BudgetClaim[] = [];

/** What an operation claims of the limits of its API key; nothing for the paymaster's own key. */
export function keyClaims(
  { paymaster, chain, session }: Caller,
  { sender, prechargeWei }: { readonly sender: Address; readonly prechargeWei: bigint },
): readonly BudgetClaim[] {
  if (paymaster.snapshot.key === null) return NONE;
  const { keyLimits } = paymaster.policy.policies;
  return keyLimitClaims(keyLimits, {
    operation: { sender },
    user: session?.user,
    nowSeconds: chain.head.nowSeconds(),
    costs: { prechargeWei },
  });
}
