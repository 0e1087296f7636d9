import {
  DependencyUnavailableError,
  FundingWalletError,
  SponsorshipRefusedError,
  type DomainError,
} from '@paymaster/domain';
import { BudgetRefusedError } from './budget-refused.error';
import { ClientBoundError } from './client-bound.error';
import type { ReserveRequest } from './ledger';
import { SpendingBrakeError } from './spending-brake.error';
import type { Decision } from './batch-values';

/** Turns a refusal of the ledger into an error of the domain. */
export function refusal(request: ReserveRequest, decision: Decision): DomainError {
  switch (decision.refused_by) {
    case 'wallet':
      return balanceTooLow({ availableWei: decision.used_amount ?? '0', neededWei: String(request.prechargeWei) });
    case 'claim':
      return noRoom(request, decision);
    case 'blocked':
      return senderBlocked();
    case 'brake':
      return new SpendingBrakeError({
        roomWei: BigInt(decision.used_amount ?? 0),
        neededWei: request.prechargeWei,
        lostWei: BigInt(decision.limit_amount ?? 0),
      });
    case 'stops':
    case 'stopped':
      return new SpendingBrakeError(undefined);
    case 'excess':
    case 'room':
    case 'newcomers':
    case 'held':
    case 'strangers':
      return new ClientBoundError({
        bound: decision.refused_by,
        usedWei: BigInt(decision.used_amount ?? 0),
        limitWei: BigInt(decision.limit_amount ?? 0),
        ...(decision.retry_after !== null && { retryAfterSeconds: Number(decision.retry_after) }),
      });
    case 'behind':
    case null:
      return ledgerBehind(request.chainId);
  }
}

/** The chain has no cursor, is halted, or its cursor is too old. */
export function ledgerBehind(chainId: number): DependencyUnavailableError {
  return new DependencyUnavailableError('ledger', `The ledger is behind chain ${chainId}; nothing was signed.`, {
    reason: 'LEDGER_BEHIND',
  });
}

function balanceTooLow(wei: { availableWei: string; neededWei: string }): FundingWalletError {
  return new FundingWalletError(
    'FUNDING_WALLET_BALANCE_TOO_LOW',
    'the funding wallet of this paymaster does not hold enough gas deposit for this operation',
    wei,
  );
}

/** An earlier operation of this sender took the tokens away with which it should have paid. */
export function senderBlocked(): SponsorshipRefusedError {
  return new SponsorshipRefusedError(
    'SENDER_BLOCKED_IN_TOKEN_MODE',
    'this account took its tokens away after an operation had been simulated well; pay from an allowance given before',
  );
}

function noRoom(request: ReserveRequest, decision: Decision): BudgetRefusedError {
  const claim = request.claims[decision.refused_claim ?? 0]!;
  const { limit_amount: limit, used_amount: used } = decision;
  return new BudgetRefusedError({ claim, limit: BigInt(limit ?? claim.limit), used: BigInt(used ?? 0) });
}
