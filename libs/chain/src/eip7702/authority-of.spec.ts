import { randomAddress } from '@paymaster/domain/testing';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { Eip7702Authorization } from '@paymaster/domain';
import { authorityOf } from './authority-of';

const account = privateKeyToAccount(generatePrivateKey());
const authority = account.address.toLowerCase();
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Signed by viem, which knows nothing of this code. */
async function authorization(chainId: number, nonce: number): Promise<Eip7702Authorization> {
  const address = randomAddress();
  const { r, s, yParity } = await account.signAuthorization({ address, chainId, nonce });
  return { chainId: BigInt(chainId), address, nonce: BigInt(nonce), r: BigInt(r), s: BigInt(s), yParity: yParity as 0 };
}

describe('authorityOf', () => {
  it.each([
    ['of one chain', 8453, 7],
    ['of every chain', 0, 0],
    ['with a large nonce', 1, 2 ** 40],
  ])('should find who signed an authorization %s', async (_title, chainId, nonce) => {
    expect(authorityOf(await authorization(chainId, nonce))).toBe(authority);
  });

  it('should find another account when any part of it is changed', async () => {
    const signed = await authorization(1, 3);
    const changes = [
      { chainId: 0n },
      { chainId: 2n },
      { nonce: 4n },
      { address: randomAddress() },
      { r: signed.r + 1n },
    ];
    for (const change of changes) expect(authorityOf({ ...signed, ...change })).not.toBe(authority);
  });

  it('should find no account when the signature is zero, or has a high s', async () => {
    const signed = await authorization(1, 3);
    const mirrored = { s: CURVE_ORDER - signed.s, yParity: (1 - signed.yParity) as 0 };
    for (const change of [{ r: 0n, s: 0n }, { r: 0n }, { s: 0n }, mirrored, { r: CURVE_ORDER }]) {
      expect(authorityOf({ ...signed, ...change })).toBeUndefined();
    }
  });
});
