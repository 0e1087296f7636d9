import { InvalidParamsError, normalizeAddress, ZERO_ADDRESS, type Eip7702Authorization } from '@paymaster/domain';
import { parseQuantity } from './quantity';
import type { RawAuthorization, RawUserOperation } from './raw-user-operation';

/** No account reaches it, and no authorization with it is valid (EIP-2681). */
const NONCE_END = 2n ** 64n - 1n;

/**
 * Reads the EIP-7702 authorization of an operation, if there is one. It does not check the signature.
 *
 * @throws {InvalidParamsError} naming the field that no authorization of this chain can have
 */
export function parseAuthorization(
  raw: RawUserOperation,
  { chainId }: { chainId: number },
): Eip7702Authorization | undefined {
  const [name, found] = namedAuthorization(raw);
  if (!found) return undefined;
  const invalid = (field: keyof RawAuthorization, sentence: string) =>
    new InvalidParamsError(`params[0].${name}.${field}`, `params[0].${name}.${field} ${sentence}.`);
  const quantity = (field: keyof RawAuthorization, bits: 64 | 256) =>
    parseQuantity(found[field], { field: `params[0].${name}.${field}`, bits });

  const authorization = {
    chainId: quantity('chainId', 256),
    address: normalizeAddress(found.address),
    nonce: quantity('nonce', 64),
    r: quantity('r', 256),
    s: quantity('s', 256),
  };
  if (authorization.chainId !== 0n && authorization.chainId !== BigInt(chainId)) {
    throw invalid('chainId', `must be ${chainId}, or 0 for every chain`);
  }
  if (authorization.address === ZERO_ADDRESS) throw invalid('address', 'is zero, which would end the delegation');
  if (authorization.nonce === NONCE_END) throw invalid('nonce', 'must be below 2^64 - 1');
  const yParity = quantity('yParity', 256);
  if (yParity !== 0n && yParity !== 1n) throw invalid('yParity', 'must be 0 or 1');
  return { ...authorization, yParity: yParity === 0n ? 0 : 1 };
}

function namedAuthorization({
  eip7702Auth,
  authorization,
}: RawUserOperation): readonly ['eip7702Auth' | 'authorization', RawAuthorization | null | undefined] {
  if (eip7702Auth && authorization) {
    const field = 'params[0].authorization';
    throw new InvalidParamsError(field, `${field} cannot stand beside eip7702Auth: both are the same.`);
  }
  return authorization ? ['authorization', authorization] : ['eip7702Auth', eip7702Auth];
}
