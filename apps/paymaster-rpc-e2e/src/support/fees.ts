import type { Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { call, resultOf } from './json-rpc';

export interface Fees {
  readonly maxFeePerGas: Hex;
  readonly maxPriorityFeePerGas: Hex;
}

/** The fees the bundler asks for at this moment, as a wallet would take them. */
export async function currentFees(stack: Stack): Promise<Fees> {
  const answer = await call({ url: stack.bundler, method: 'pimlico_getUserOperationGasPrice' });
  return resultOf<{ standard: Fees }>(answer).standard;
}
