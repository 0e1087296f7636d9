import { normalizeAddress, type Address } from '@paymaster/domain';
import { verifyMessage } from 'ethers';

const SIGNATURE = /^0x[0-9a-fA-F]{128}(1b|1c|1B|1C)$/;
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Who signed a text with `personal_sign` (EIP-191), or null when the signature is not the one canonical form:
 * 65 bytes, low s, v 27 or 28. Other forms of the same signature would be accepted twice.
 */
export function recoverSigner(message: string, signature: string): Address | null {
  if (!SIGNATURE.test(signature)) return null;
  if (BigInt(`0x${signature.slice(66, 130)}`) > HALF_ORDER) return null;
  try {
    return normalizeAddress(verifyMessage(message, signature));
  } catch {
    // r is not on the curve, or r or s is zero.
    return null;
  }
}
