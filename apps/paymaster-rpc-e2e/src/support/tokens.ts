import { encodeFunctionData, erc20Abi } from 'viem';
import { demoTokenAbi, demoTokenBytecode } from '@paymaster/contract-abis';
import type { Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import type { InnerCall } from './call-data';
import { publicClient, richWallet, transact, walletOf } from './chain';

export interface Token {
  readonly symbol: string;
  readonly address: Hex;
  readonly decimals: number;
}

/** One of the local world's tokens. */
export function tokenOf(stack: Stack, symbol: string): Token {
  const token = stack.tokens.find((known) => known.symbol === symbol);
  if (!token) throw new Error(`the local world has no token ${symbol}`);
  return token;
}

/** A token of a spec's own, which no list knows. */
export async function deployToken(stack: Stack, { symbol, decimals }: Omit<Token, 'address'>): Promise<Token> {
  const wallet = walletOf(stack, await richWallet(stack));
  const args = [symbol, symbol, decimals] as const;
  const hash = await wallet.deployContract({ abi: demoTokenAbi, bytecode: demoTokenBytecode, args });
  const { contractAddress } = await publicClient(stack).waitForTransactionReceipt({ hash });
  if (!contractAddress) throw new Error(`${symbol} was not deployed`);
  return { symbol, decimals, address: contractAddress };
}

/** Whole tokens from the faucet, to as many holders as are named. */
export async function giveTokens(
  stack: Stack,
  { token, holders, whole = 1_000n }: { token: Token; holders: readonly Hex[]; whole?: bigint },
): Promise<void> {
  const amount = whole * 10n ** BigInt(token.decimals);
  await Promise.all(
    holders.map(async (holder) => {
      const data = encodeFunctionData({ abi: demoTokenAbi, functionName: 'mint', args: [holder, amount] });
      await transact(stack, { from: await richWallet(stack), to: token.address, data });
    }),
  );
}

/** Base units. */
export function tokenBalanceOf(stack: Stack, { address }: Token, holder: Hex): Promise<bigint> {
  return publicClient(stack).readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
}

/** Call of an account that lets the spender take that many base units. */
export function approveCall({ address }: Token, spender: Hex, amount: bigint): InnerCall {
  return { to: address, data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] }) };
}

/** Call of an account that sends tokens away. */
export function transferCall({ address }: Token, to: Hex, amount: bigint): InnerCall {
  return { to: address, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }) };
}
