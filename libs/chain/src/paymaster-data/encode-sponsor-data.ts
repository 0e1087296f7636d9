import type { Hex } from '@paymaster/domain';
import { signatureHex, sponsorHeadHex } from './data-hex';
import { assertSponsorFields, SPONSORSHIP_MODE, type SponsorFields } from './sponsor-fields';
import { isTokenFields } from './token-fields';

/**
 * `paymasterData` of sponsorship mode: 106 bytes, byte layout in docs/architecture/paymaster-data.md.
 *
 * @param fields what the digest covered
 * @param signature 65 bytes `r ++ s ++ v`
 * @throws {RangeError} naming the field that is out of range, or when the fields are those of token mode
 */
export function encodeSponsorData(fields: SponsorFields, signature: Uint8Array | Hex): Hex {
  // The fields of token mode have another digest, so the signature would be invalid.
  if (isTokenFields(fields)) throw new RangeError('way is a field of token mode');
  assertSponsorFields(fields);
  return `0x${sponsorHeadHex(SPONSORSHIP_MODE, fields)}${signatureHex(signature)}`;
}
