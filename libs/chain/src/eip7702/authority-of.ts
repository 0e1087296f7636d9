import { normalizeAddress, type Address, type Eip7702Authorization } from '@paymaster/domain';
import { Signature, verifyAuthorization } from 'ethers';
import { toWord } from '../json-rpc/parse';

/**
 * The account that signed an EIP-7702 authorization: the authorization sets only that account's code.
 *
 * @returns undefined when the signature is invalid, or not of the canonical form that EIP-7702 asks for (low s)
 */
export function authorityOf({ r, s, yParity, ...authorization }: Eip7702Authorization): Address | undefined {
  try {
    const signature = Signature.from({ r: toWord(r), s: toWord(s), yParity });
    return normalizeAddress(verifyAuthorization(authorization, signature));
  } catch {
    // ethers throws on high s, on an r that is no point, and on zeros.
    return undefined;
  }
}
