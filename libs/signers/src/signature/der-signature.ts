import { SignerError } from '../signer/signer-error';

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const SCALAR_BYTES = 32;

/**
 * `r ++ s` (64 bytes) of a DER `SEQUENCE { r INTEGER, s INTEGER }`, as AWS KMS and Vault write signatures. Strict: one
 * byte too few or too many, a negative or a padded integer is no signature.
 *
 * @throws {SignerError} malformed
 */
export function fromDerSignature(der: Uint8Array): Uint8Array {
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) throw malformed();
  const signature = new Uint8Array(2 * SCALAR_BYTES);
  const second = readScalar(der, 2, signature.subarray(0, SCALAR_BYTES));
  const end = readScalar(der, second, signature.subarray(SCALAR_BYTES));
  if (end !== der.length) throw malformed();
  return signature;
}

/** Reads one INTEGER into 32 bytes. @returns where the next thing begins */
function readScalar(der: Uint8Array, start: number, target: Uint8Array): number {
  const length = der[start + 1] ?? 0;
  const end = start + 2 + length;
  const bytes = der.subarray(start + 2, end);
  if (der[start] !== INTEGER || length === 0 || bytes.length !== length) throw malformed();
  const isNegative = bytes[0]! >= 0x80;
  const isPadded = length > 1 && bytes[0] === 0 && bytes[1]! < 0x80;
  const digits = bytes[0] === 0 ? bytes.subarray(1) : bytes;
  if (isNegative || isPadded || digits.length > SCALAR_BYTES) throw malformed();
  target.set(digits, SCALAR_BYTES - digits.length);
  return end;
}

function malformed(): SignerError {
  return new SignerError('malformed', 'the signature is not DER of two integers');
}
