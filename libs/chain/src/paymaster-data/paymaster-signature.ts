import { hasPaymasterSignature, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { SIGNATURE_BYTES } from './sponsor-fields';

/**
 * The suffix after the paymaster's signature on EntryPoint v0.9: its length (2 bytes), and the first 8 bytes of
 * `keccak256("PaymasterSignature")`. The EntryPoint leaves a signature with this suffix out of `userOpHash`.
 */
export const PAYMASTER_SIGNATURE_SUFFIX: Hex = '0x004122e325a297439656';

/** The bytes after the paymaster's data in `paymasterAndData`, in hexadecimal digits. */
export function suffixDigits(version: EntryPointVersion): string {
  return hasPaymasterSignature(version) ? PAYMASTER_SIGNATURE_SUFFIX.slice(2) : '';
}

/** `paymasterAndData` or `paymasterData` up to the end of the signature. */
export function withoutSuffix(version: EntryPointVersion, data: Hex): Hex {
  const digits = suffixDigits(version);
  return digits && data.toLowerCase().endsWith(digits) ? (data.slice(0, -digits.length) as Hex) : data;
}

/** `paymasterData` in the fields of clients and bundlers. */
export interface WirePaymasterData {
  readonly paymasterData: Hex;
  /** On EntryPoint v0.9 only, where the signature is a field of its own. */
  readonly paymasterSignature?: Hex;
}

/**
 * Moves the signature from the end of `paymasterData` into a field, if the EntryPoint's operations have a field for it.
 */
export function toWirePaymasterData(version: EntryPointVersion, paymasterData: Hex): WirePaymasterData {
  if (!hasPaymasterSignature(version)) return { paymasterData };
  const end = paymasterData.length - 2 * SIGNATURE_BYTES;
  return { paymasterData: paymasterData.slice(0, end) as Hex, paymasterSignature: `0x${paymasterData.slice(end)}` };
}
