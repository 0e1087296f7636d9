import { createPublicKey } from 'node:crypto';
import { normalizeAddress, type Address } from '@paymaster/domain';
import { keccak256 } from 'ethers';

/**
 * The address of a public key.
 *
 * @param point 64 bytes `x ++ y`, or 65 with the 0x04 in front
 */
export function addressOfPublicKey(point: Uint8Array): Address {
  return normalizeAddress(`0x${keccak256(point.subarray(-64)).slice(-40)}`);
}

/**
 * The same of a SubjectPublicKeyInfo, which is how AWS KMS hands out public keys.
 *
 * @throws {Error} when it is no key of the curve secp256k1
 */
export function addressOfSpki(der: Uint8Array): Address {
  const { crv, x, y } = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }).export({
    format: 'jwk',
  });
  if (crv !== 'secp256k1' || !x || !y) throw new Error(`the key is of curve ${crv ?? 'unknown'}, not secp256k1`);
  return addressOfPublicKey(Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]));
}
