import type { Hex } from '@paymaster/domain';
import { signatureHex, sponsorHeadHex, uintHex } from './data-hex';
import { assertTokenFields, TOKEN_MODE, wayByteOf, type TokenFields, type TokenPermit } from './token-fields';

/**
 * `paymasterData` of token mode: 199 bytes, 328 with a permit; byte layout in docs/architecture/paymaster-data.md.
 *
 * @param fields what the digest covered
 * @param signature 65 bytes `r ++ s ++ v`, of the paymaster's signer
 * @throws {RangeError} naming the field that is out of range
 */
export function encodeTokenData(fields: TokenFields, signature: Uint8Array | Hex): Hex {
  assertTokenFields(fields);
  return `0x${[
    sponsorHeadHex(TOKEN_MODE, fields),
    uintHex(wayByteOf(fields), 1),
    fields.token.slice(2).toLowerCase(),
    uintHex(fields.exchangeRate, 24),
    uintHex(fields.premiumMillionths, 4),
    fields.feeReceiver.slice(2).toLowerCase(),
    uintHex(fields.maxTokenChargeBaseUnits, 24),
    fields.permit ? permitHex(fields.permit) : '',
    signatureHex(signature),
  ].join('')}`;
}

/** `value ++ deadline ++ r ++ s ++ v`, the 129 bytes that are sent and signed, without `0x`. */
export function permitHex(permit: TokenPermit): string {
  return `${uintHex(permit.valueBaseUnits, 32)}${uintHex(permit.deadlineSeconds, 32)}${signatureHex(permit.signature)}`;
}
