import { byteLength, isHexBytes, type Hex } from '@paymaster/domain';
import { SIGNATURE_BYTES, type SponsorFields } from './sponsor-fields';

/** A big-endian unsigned integer in hexadecimal digits, without `0x`; the caller has checked that it fits. */
export function uintHex(value: number | bigint, bytes: number): string {
  return value.toString(16).padStart(bytes * 2, '0');
}

/** The 65 bytes of a signature in hexadecimal digits, without `0x`. */
export function signatureHex(signature: Uint8Array | Hex): string {
  const length = typeof signature === 'string' ? byteLength(signature) : signature.length;
  if (length !== SIGNATURE_BYTES) throw new RangeError(`signature has ${length} bytes instead of ${SIGNATURE_BYTES}`);
  if (typeof signature !== 'string') return Buffer.from(signature).toString('hex');
  if (!isHexBytes(signature)) throw new RangeError('signature is not hexadecimal');
  return signature.slice(2).toLowerCase();
}

/** The first 41 bytes of `paymasterData`, the same in both modes, without `0x`. */
export function sponsorHeadHex(mode: number, fields: SponsorFields): string {
  return [
    uintHex(mode, 1),
    uintHex(fields.validUntilSeconds, 6),
    uintHex(fields.validAfterSeconds, 6),
    fields.fundingWallet.slice(2).toLowerCase(),
    uintHex(fields.feeMarkupMillionths, 4),
    uintHex(fields.unaccountedGas, 4),
  ].join('');
}
