import { encodeFunctionData, parseAbi } from 'viem';
import type { EntryPointVersion, Hex } from '@paymaster/domain';

export interface InnerCall {
  readonly to: Hex;
  readonly data: Hex;
  readonly valueWei?: bigint;
}

const EXECUTE = parseAbi(['function execute(address dest, uint256 value, bytes func)']);

const EXECUTE_BATCH = {
  '0.6': parseAbi(['function executeBatch(address[] dest, bytes[] func)']),
  '0.7': parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)']),
  '0.8': parseAbi([
    'struct Call { address target; uint256 value; bytes data; }',
    'function executeBatch(Call[] calls)',
  ]),
} as const;

/** One call of a SimpleAccount; the same in every version. */
export function execute({ to, data, valueWei = 0n }: InnerCall): Hex {
  return encodeFunctionData({ abi: EXECUTE, functionName: 'execute', args: [to, valueWei, data] });
}

/** Several calls of a SimpleAccount, each version with the encoding its account contract has. */
export function executeBatch(version: EntryPointVersion, calls: readonly InnerCall[]): Hex {
  const targets = calls.map(({ to }) => to);
  const values = calls.map(({ valueWei = 0n }) => valueWei);
  const datas = calls.map(({ data }) => data);
  switch (version) {
    case '0.6':
      return encodeFunctionData({ abi: EXECUTE_BATCH['0.6'], args: [targets, datas] });
    case '0.7':
      return encodeFunctionData({ abi: EXECUTE_BATCH['0.7'], args: [targets, values, datas] });
    case '0.8':
    case '0.9':
      return encodeFunctionData({
        abi: EXECUTE_BATCH['0.8'],
        args: [calls.map(({ to, data, valueWei = 0n }) => ({ target: to, value: valueWei, data }))],
      });
  }
}
