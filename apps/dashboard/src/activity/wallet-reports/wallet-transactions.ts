import type { ChainConfig } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import { Interface } from 'ethers';

/** What of our contracts wallets call; the same for every EntryPoint. */
export const WALLET_FUNCTIONS = new Interface([
  'function depositFor(address fundingWallet) payable',
  'function requestWithdrawal(uint256 amountWei)',
  'function cancelWithdrawal()',
  'function executeWithdrawal(address to)',
]);

/** A transaction to be signed elsewhere. */
export interface WalletTransaction {
  readonly to: Address;
  readonly data: string;
  readonly valueWei: bigint;
}

/** The transactions about a wallet's account in the contract of one EntryPoint. */
export interface WalletTransactions {
  readonly entryPointVersion: string;
  /** Anybody may send it. */
  readonly deposit: WalletTransaction;
  /** The wallet itself sends this one and the following. */
  readonly requestWithdrawal: WalletTransaction;
  readonly cancelWithdrawal: WalletTransaction;
  readonly executeWithdrawal: WalletTransaction;
}

/** One for each EntryPoint of the chain. Withdrawn coins go to the wallet. */
export function walletTransactions(
  { entryPoints }: Pick<ChainConfig, 'entryPoints'>,
  { fundingWallet, amountWei }: { fundingWallet: Address; amountWei: bigint },
): readonly WalletTransactions[] {
  return Object.entries(entryPoints).map(([entryPointVersion, { paymaster: to }]) => {
    const call = (name: string, args: readonly unknown[], valueWei = 0n): WalletTransaction => ({
      ...{ to, data: WALLET_FUNCTIONS.encodeFunctionData(name, args), valueWei },
    });
    return {
      entryPointVersion,
      deposit: call('depositFor', [fundingWallet], amountWei),
      requestWithdrawal: call('requestWithdrawal', [amountWei]),
      cancelWithdrawal: call('cancelWithdrawal', []),
      executeWithdrawal: call('executeWithdrawal', [fundingWallet]),
    };
  });
}
