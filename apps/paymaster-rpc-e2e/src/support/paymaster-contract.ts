import { encodeFunctionData, parseAbi } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { publicClient, transact } from './chain';

/** What funding wallets and the tests use of our contracts; the same on every EntryPoint version. */
const abi = parseAbi([
  'function depositFor(address fundingWallet) payable',
  'function balanceOf(address fundingWallet) view returns (uint256)',
  'function isSigner(address signer) view returns (bool)',
]);

export interface Deposit {
  readonly version: EntryPointVersion;
  readonly from: PrivateKeyAccount;
  readonly fundingWallet: Hex;
  readonly amountWei: bigint;
  readonly nonce?: number;
}

/** Puts ether into a funding wallet's gas deposit of one EntryPoint version. */
export function depositFor(stack: Stack, { version, from, fundingWallet, amountWei, nonce }: Deposit): Promise<void> {
  const data = encodeFunctionData({ abi, functionName: 'depositFor', args: [fundingWallet] });
  return transact(stack, { from, to: stack.paymasters[version], data, valueWei: amountWei, nonce });
}

/** A funding wallet's gas deposit in wei. */
export function depositOf(stack: Stack, version: EntryPointVersion, fundingWallet: Hex): Promise<bigint> {
  const address = stack.paymasters[version];
  return publicClient(stack).readContract({ abi, address, functionName: 'balanceOf', args: [fundingWallet] });
}

export function isSigner(stack: Stack, version: EntryPointVersion, signer: Hex): Promise<boolean> {
  const address = stack.paymasters[version];
  return publicClient(stack).readContract({ abi, address, functionName: 'isSigner', args: [signer] });
}
