import { max, type AccountGasLimits, type UserOperation } from '@paymaster/domain';
import type { Caller } from '../../callers/caller';
import { prechargeOf } from '../limits/gas-limits';
import type { SponsorTerms } from '../terms/sponsor-terms';
import type { SupportedToken } from '../../chains/token-registry';
import { tokenTerms, withTokenGas } from './token-terms';

/** An operation before its token and its way of charging are chosen. */
export interface UndecidedOperation {
  readonly caller: Caller;
  readonly operation: UserOperation;
  /** As sponsorship needs them. */
  readonly limits: AccountGasLimits;
  readonly sponsor: SponsorTerms;
}

/**
 * The most that an operation can cost in each token, whichever of the token's ways is chosen later; wei. Where that way
 * may be an approval in the batch, there is room for the `approve` that clients add after they have seen the quote.
 */
export function dearestCosts(operation: UndecidedOperation): (token: SupportedToken) => bigint {
  // Few tokens differ in the terms that decide the cost, and a list of a hundred is priced at once.
  const costs = new Map<string, bigint>();
  return (token) => {
    const known = costs.get(token.gasKind);
    if (known !== undefined) return known;
    const costWei = dearestCost(operation, token);
    costs.set(token.gasKind, costWei);
    return costWei;
  };
}

function dearestCost({ caller, operation, limits, sponsor }: UndecidedOperation, token: SupportedToken): bigint {
  const approveHeadroom = token.ways.includes('batchApproval');
  const costs = token.ways.map((way) => {
    const terms = tokenTerms(sponsor, { caller, token: token.listing, way });
    const raised = withTokenGas({ limits, operation, sponsor, terms, approveHeadroom });
    return prechargeOf({ ...operation, ...raised }, terms);
  });
  return costs.reduce(max);
}
