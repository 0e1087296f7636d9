import type { Hex } from '@paymaster/domain';
import { createKeccak } from 'hash-wasm';

/** The 4-byte selector of a canonical signature. */
export type SelectorOf = (signature: string) => Hex;

/** WebAssembly, because an ABI may have 2,000 functions and the event loop waits: JavaScript would take half a second. */
export async function createSelectorOf(): Promise<SelectorOf> {
  const keccak256 = await createKeccak(256);
  return (signature) => `0x${keccak256.init().update(signature).digest('hex').slice(0, 8)}`;
}

/** Injection token of {@link SelectorOf}. */
export const SELECTOR_OF = Symbol('SELECTOR_OF');
