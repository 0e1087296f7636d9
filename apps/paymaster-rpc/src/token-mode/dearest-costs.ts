import type { AccountGasLimits, UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import { prechargeOf } from '../sponsorship/gas-limits';
import type { SponsorTerms } from '../sponsorship/sponsor-terms';
import type { SupportedToken } from './token-registry';
import { tokenTerms, withTokenGas } from './token-terms';

/** An operation before it is known in which token, and by which way, it will be paid. */
export interface UndecidedOperation {
  readonly caller: Caller;
  readonly operation: UserOperation;
  /** As sponsorship needs them. */
  readonly limits: AccountGasLimits;
  readonly sponsor: SponsorTerms;
}

/**
 * The most an operation can cost in each token, whichever of its ways is chosen later; wei. Where that may be an
 * approval in the batch, there is room for the `approve` that clients put in front after they have seen the quote.
 */
export function dearestCosts(operation: UndecidedOperation): (token: SupportedToken) => bigint {
  // Few tokens differ in what decides the cost, and a list of a hundred is priced at once.
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
  return costs.reduce((a, b) => (a > b ? a : b));
}
