import type { KeyGrant } from '@paymaster/domain';
import type { Claim } from './claim';
import type { PricedOperation } from './native-rule';
import { compileSpendingLimits, spendingClaim, type CompiledSpendingLimit } from './spending-limits';

/** What an operation asks of a limit of the API key that it was asked with. */
export interface KeyClaim extends Omit<Claim, 'refusal'> {
  readonly refusal: Omit<Claim['refusal'], 'reason'> & { readonly reason: 'KEY_LIMIT_REACHED' };
}

/** The limits of a key, in budgets of their own: those of policies count besides. */
export function compileKeyLimits(paymasterId: string, key: KeyGrant | null): readonly CompiledSpendingLimit[] {
  const limits = (key?.limits ?? []).map(({ id, scope, measure, amount, cycle }) => ({
    ...{ id, measure, amount, cycle },
    scope: scope === 'USER' ? ('USER' as const) : ('PAYMASTER' as const),
  }));
  return compileSpendingLimits({
    paymasterId,
    policyId: `key_${key?.keyId}`,
    name: 'API key',
    limits,
    sharedVersion: null,
  });
}

/** Claims of every limit of a key; each counts all that is signed for the key, sponsored or paid in tokens. */
export function keyLimitClaims(limits: readonly CompiledSpendingLimit[], priced: PricedOperation): KeyClaim[] {
  return limits.map((limit) => {
    const claim = spendingClaim(limit, priced);
    if (!claim) throw new Error('a limit of a key is counted in USD, and no price was given');
    const isOfUser = limit.limit.scope === 'USER';
    const ofKey = {
      rule: `API key: limit per KEY and ${limit.limit.cycle}`,
      message: 'The spending limit of this API key is used up',
    };
    return { ...claim, refusal: { ...(isOfUser ? claim.refusal : ofKey), reason: 'KEY_LIMIT_REACHED' } };
  });
}
