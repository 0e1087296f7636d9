import type { Address } from '@paymaster/domain';
import { ecdsaRecover, signatureNormalize } from 'secp256k1';
import { SignerError } from '../signer/signer-error';
import { addressOfPublicKey } from '../signer/public-key-address';

/** Both values of `v`; the other two recovery ids need an `r` above the order of the curve, which does not occur. */
const RECOVERY_IDS = [0, 1] as const;

/**
 * A remote signer's answer in the form that the contract accepts: low s, and the `v` with which it recovers to the
 * signer's address over our own digest.
 *
 * @param signature 64 bytes `r ++ s`, s high or low
 * @returns 65 bytes `r ++ s ++ v`
 * @throws {SignerError} malformed, when these are no r and s; lying, when they are of another key or another digest
 */
export function believeSignature(input: { signature: Uint8Array; digest: Uint8Array; address: Address }): Uint8Array {
  const { digest, address } = input;
  const signature = normalized(input.signature);
  for (const recoveryId of RECOVERY_IDS) {
    if (recovered(signature, recoveryId, digest) !== address) continue;
    const believed = new Uint8Array(65);
    believed.set(signature);
    believed[64] = 27 + recoveryId;
    return believed;
  }
  throw new SignerError('lying', `the signature is not of ${address} over what it was asked to sign`);
}

function normalized(signature: Uint8Array): Uint8Array {
  try {
    return signatureNormalize(Uint8Array.from(signature));
  } catch (cause) {
    throw new SignerError('malformed', 'the signature is not an r and an s of secp256k1', { cause });
  }
}

/** Undefined where no key has this signature. */
function recovered(signature: Uint8Array, recoveryId: 0 | 1, digest: Uint8Array): Address | undefined {
  try {
    return addressOfPublicKey(ecdsaRecover(signature, recoveryId, digest, false));
  } catch {
    return undefined;
  }
}
