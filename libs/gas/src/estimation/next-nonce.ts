import { parseWords, type ChainProvider } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import { Interface } from 'ethers';

const NONCES = new Interface(['function getNonce(address sender, uint192 key) view returns (uint256)']);
/** A nonce is a key, and in these last bits the number of operations of the key before it. */
export const SEQUENCE_BITS = 64;

/**
 * The next nonce that the EntryPoint takes of an account, for the key of the given nonce.
 *
 * @throws {DependencyUnavailableError} `chain`
 */
export function nextNonce(
  provider: Pick<ChainProvider, 'ethCall'>,
  { entryPoint, sender, nonce }: { readonly entryPoint: Address; readonly sender: Address; readonly nonce: bigint },
  deadlineMs?: number,
): Promise<bigint> {
  const data = NONCES.encodeFunctionData('getNonce', [sender, nonce >> BigInt(SEQUENCE_BITS)]) as Hex;
  const parse = (answer: unknown): bigint => parseWords(answer, 1, 'getNonce')[0] ?? 0n;
  return provider.ethCall({ to: entryPoint, data }, parse, undefined, deadlineMs);
}
