import { encodeFunctionData, parseAbi } from 'viem';
import type { Hex } from '@paymaster/domain';

/** The local world's demo contract: a counter per caller. `reset` is what the tests leave off whitelists. */
export const demoContractAbi = parseAbi([
  'function increment()',
  'function add(uint256 amount)',
  'function reset()',
  'function tip() payable',
  'function countOf(address caller) view returns (uint256)',
]);

export const INCREMENT: Hex = encodeFunctionData({ abi: demoContractAbi, functionName: 'increment' });
export const RESET: Hex = encodeFunctionData({ abi: demoContractAbi, functionName: 'reset' });
export const TIP: Hex = encodeFunctionData({ abi: demoContractAbi, functionName: 'tip' });

export function add(amount: bigint): Hex {
  return encodeFunctionData({ abi: demoContractAbi, functionName: 'add', args: [amount] });
}
