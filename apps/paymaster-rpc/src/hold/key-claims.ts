import type { Address } from '@paymaster/domain';
import type { BudgetClaim } from '@paymaster/ledger';
import { keyLimitClaims } from '@paymaster/policy';
import type { Caller } from '../callers/caller';
import { microUsdPerNative } from '../chains/native-price';

const NONE: readonly BudgetClaim[] = [];

/**
 * What an operation claims of the limits of its API key; nothing for the paymaster's own key.
 *
 * @throws {PriceUnavailableError} when a limit is counted in USD and no price can be believed
 */
export function keyClaims(
  { paymaster, chain, session }: Caller,
  { sender, prechargeWei }: { readonly sender: Address; readonly prechargeWei: bigint },
): readonly BudgetClaim[] {
  if (paymaster.snapshot.key === null) return NONE;
  const { keyLimits, keyLimitsNeedPrice } = paymaster.policy.policies;
  const price = keyLimitsNeedPrice ? { microUsdPerNative: microUsdPerNative(chain) } : {};
  return keyLimitClaims(keyLimits, {
    operation: { sender },
    user: session?.user,
    nowSeconds: chain.head.nowSeconds(),
    costs: { prechargeWei, ...price },
  });
}
