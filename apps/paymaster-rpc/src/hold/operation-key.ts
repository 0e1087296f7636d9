import type { Address, PaymasterSettings, UserOperation } from '@paymaster/domain';
import type { OperationKey, PaymasterOperation, WalletAccount } from '@paymaster/ledger';
import type { Caller } from '../callers/caller';

/** The wallet that pays, and the paymaster contract that holds its deposit. */
export interface PayingWallet {
  readonly paymaster: Address;
  readonly fundingWallet: Address;
}

interface CallersOperation {
  readonly caller: Caller;
  readonly operation: Pick<UserOperation, 'sender' | 'nonce'>;
}

/** What identifies an operation within the caller's paymaster. */
export function paymasterOperation({ caller, operation }: CallersOperation): PaymasterOperation {
  const { paymasterId, settings } = caller.paymaster.snapshot;
  return { paymasterId, sender: operation.sender, nonce: operation.nonce, brakeReleasedAtMs: releaseOf(settings) };
}

/** The latest release of the spending brake that the gateway knows; undefined where the owner turned the brake off. */
export function releaseOf({ spendingBrake, brakeReleasedAtMs }: PaymasterSettings): number | undefined {
  return spendingBrake ? brakeReleasedAtMs : undefined;
}

/** The wallet that pays, as the ledger names it. */
export function walletAccount({ chain }: Caller, { paymaster, fundingWallet }: PayingWallet): WalletAccount {
  return { chainId: chain.config.chainId, contract: paymaster, wallet: fundingWallet };
}

/** The key that finds an operation's reservation, if there is one. */
export function operationKey(question: CallersOperation, payer: PayingWallet): OperationKey {
  return { ...walletAccount(question.caller, payer), ...paymasterOperation(question) };
}
