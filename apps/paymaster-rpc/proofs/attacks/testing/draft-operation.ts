import { encodeFunctionData } from 'viem';
import { entryPointV07Abi } from '@paymaster/contract-abis';
import { CANONICAL_ENTRY_POINTS, type Address, type EntryPointVersion, type UserOperation } from '@paymaster/domain';
import { randomHex } from '@paymaster/domain/testing';
import { testContracts } from '../../../src/testing/compile-contracts';
import type { ContractCall, TokenChain } from '../../../src/testing/token-chain';

/** Enough for every operation of the suites. */
const LIMITS = { callGasLimit: 400_000n, verificationGasLimit: 250_000n, preVerificationGas: 60_000n };
const FEES = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

/** An operation of an account that makes these calls in one batch, with the account's next nonce. */
export async function draftOperation(
  chain: TokenChain,
  request: {
    version: EntryPointVersion;
    sender: Address;
    calls: readonly ContractCall[];
    /** Parallel nonces have keys of their own. */
    nonceKey?: bigint;
  },
): Promise<UserOperation> {
  const { version, sender, calls, nonceKey = 0n } = request;
  const nonce = await chain.read<bigint>({
    to: CANONICAL_ENTRY_POINTS[version],
    abi: entryPointV07Abi,
    name: 'getNonce',
    args: [sender, nonceKey],
  });
  const datas = calls.map(({ abi, name, args = [] }) => encodeFunctionData({ abi, functionName: name, args }));
  const callData = encodeFunctionData({
    abi: testContracts().TokenAccount.abi,
    functionName: 'executeBatch',
    args: [calls.map(({ to }) => to), datas],
  });
  const common = { sender, nonce, callData, ...LIMITS, ...FEES, signature: randomHex(65) };
  return version === '0.6'
    ? { ...common, entryPointVersion: version, initCode: '0x' }
    : { ...common, entryPointVersion: version };
}
