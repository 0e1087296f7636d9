import { byteLength, isHexBytes, type Hex } from '@paymaster/domain';
import { assertSponsorFields } from './assert-sponsor-fields';
import { SIGNATURE_BYTES, SPONSORSHIP_MODE, type SponsorFields } from './sponsor-fields';

/**
 * `paymasterData` of sponsorship mode: 106 bytes, byte layout in docs/architecture/paymaster-data.md.
 *
 * @param fields what the digest covered
 * @param signature 65 bytes `r ++ s ++ v`
 * @throws {RangeError} naming the field that is out of range
 */
export function encodeSponsorData(fields: SponsorFields, signature: Uint8Array | Hex): Hex {
  assertSponsorFields(fields);
  return `0x${[
    uintHex(SPONSORSHIP_MODE, 1),
    uintHex(fields.validUntilSeconds, 6),
    uintHex(fields.validAfterSeconds, 6),
    fields.fundingWallet.slice(2).toLowerCase(),
    uintHex(fields.feeMarkupMillionths, 4),
    uintHex(fields.unaccountedGas, 4),
    signatureHex(signature),
  ].join('')}`;
}

function uintHex(value: number | bigint, bytes: number): string {
  return value.toString(16).padStart(bytes * 2, '0');
}

function signatureHex(signature: Uint8Array | Hex): string {
  const length = typeof signature === 'string' ? byteLength(signature) : signature.length;
  if (length !== SIGNATURE_BYTES) throw new RangeError(`signature has ${length} bytes instead of ${SIGNATURE_BYTES}`);
  if (typeof signature !== 'string') return Buffer.from(signature).toString('hex');
  if (!isHexBytes(signature)) throw new RangeError('signature is not hexadecimal');
  return signature.slice(2).toLowerCase();
}
