import type { PaymasterSettings, UserOperation } from '@paymaster/domain';
import type { OperationKey, PaymasterOperation, WalletAccount } from '@paymaster/ledger';
import type { Caller } from '../callers/caller';
import type { SponsorTerms } from '../sponsorship/sponsor-terms';

interface CallersOperation {
  readonly caller: Caller;
  readonly operation: Pick<UserOperation, 'sender' | 'nonce'>;
}

/** An operation among those of the caller's paymaster. */
export function paymasterOperation({ caller, operation }: CallersOperation): PaymasterOperation {
  const { paymasterId, settings } = caller.paymaster.snapshot;
  return { paymasterId, sender: operation.sender, nonce: operation.nonce, brakeReleasedAtMs: releaseOf(settings) };
}

/** The latest release of the spending brake that the gateway knows; undefined where the owner turned the brake off. */
export function releaseOf({ spendingBrake, brakeReleasedAtMs }: PaymasterSettings): number | undefined {
  return spendingBrake ? brakeReleasedAtMs : undefined;
}

/** Whose money pays on these terms. */
export function walletAccount(
  { chain }: Caller,
  { paymaster, fundingWallet }: Pick<SponsorTerms, 'paymaster' | 'fundingWallet'>,
): WalletAccount {
  return { chainId: chain.config.chainId, contract: paymaster, wallet: fundingWallet };
}

/** What the reservation of an operation is found by, if it has one. */
export function operationKey(
  question: CallersOperation,
  terms: Pick<SponsorTerms, 'paymaster' | 'fundingWallet'>,
): OperationKey {
  return { ...walletAccount(question.caller, terms), ...paymasterOperation(question) };
}
