import { InvalidParamsError } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import { parseQuantity } from '../../user-operation/quantity';

/** @throws {InvalidParamsError} CHAIN_MISMATCH, when a request names another chain than that of its API key */
export function assertKeysChain(
  chainId: string | number,
  { caller, field }: { caller: Pick<Caller, 'chain'>; field: string },
): void {
  const asked = parseQuantity(chainId, { field, bits: 256 });
  const { chainId: own } = caller.chain.config;
  if (asked === BigInt(own)) return;
  const sentence = `${field} names chain ${asked}, but the API key is for chain ${own}.`;
  throw new InvalidParamsError(field, sentence, 'CHAIN_MISMATCH');
}
