import type { Address, PaymasterSettings, UserOperation } from '@paymaster/domain';
import type { OperationKey, PaymasterOperation, WalletAccount } from '@paymaster/ledger';
import type { Caller } from '../callers/caller';
import type { FundingQuestion } from '../chains/funding-check';

/** The wallet that pays, and the paymaster contract that holds its deposit. */
export interface PayingWallet {
  readonly paymaster: Address;
  readonly fundingWallet: Address;
}

interface CallersOperation {
  readonly caller: Caller;
  readonly operation: Pick<UserOperation, 'sender' | 'nonce'>;
}

/** What the wallet must have for an operation; wei. */
export function neededOf(
  question: CallersOperation,
  terms: PayingWallet & { readonly entryPoint: Address },
  neededWei: bigint,
): FundingQuestion {
  return {
    paymaster: terms.paymaster,
    wallet: terms.fundingWallet,
    entryPoint: terms.entryPoint,
    neededWei,
    operation: paymasterOperation(question),
    deadlineMs: question.caller.deadlineMs,
  };
}

/** What identifies an operation within the caller's paymaster. */
function paymasterOperation({ caller, operation }: CallersOperation): PaymasterOperation {
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
