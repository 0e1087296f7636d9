import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { preVerificationGasReference } from './pre-verification-gas-reference';

const nonZero = (bytes: number): `0x${string}` => `0x${'ff'.repeat(bytes)}`;

describe('preVerificationGasReference', () => {
  it('is overhead and call data for a common operation', () => {
    // 21,000 and 18,300 gas of overhead, and about 800 bytes of which half are not zero.
    const operation = userOperationV07Builder().with('callData', nonZero(132)).build();
    const reference = preVerificationGasReference(operation, nonZero(158));
    expect(reference).toBeGreaterThan(45_000n);
    expect(reference).toBeLessThan(55_000n);
  });

  it('grows by 16 gas per non-zero byte, 4 per zero byte and the words to copy', () => {
    const base = userOperationV06Builder().with('callData', '0x');
    const empty = preVerificationGasReference(base.build(), '0x');
    const word = preVerificationGasReference(base.with('callData', nonZero(32)).build(), '0x');
    const padded = preVerificationGasReference(base.with('callData', nonZero(1)).build(), '0x');
    expect(word - empty).toBe(32n * 16n + 4n);
    expect(padded - empty).toBe(16n + 31n * 4n + 4n);
  });

  it('follows the call-data floor of EIP-7623 for large operations', () => {
    const large = userOperationV07Builder().with('callData', nonZero(20_000)).build();
    expect(preVerificationGasReference(large, nonZero(158))).toBeGreaterThan(20_000n * 40n - 40_000n);
  });

  it('counts a signature of 1,000 bytes and nothing behind, which nobody signs and anyone can pad', () => {
    const referenceFor = (bytes: number) =>
      preVerificationGasReference({ ...userOperation, signature: nonZero(bytes) }, nonZero(158));
    const userOperation = userOperationV07Builder().build();
    expect(referenceFor(1_000)).toBeGreaterThan(referenceFor(900));
    expect(referenceFor(7_100)).toBe(referenceFor(1_000));
  });

  it('has the 25,000 gas of an EIP-7702 authorization in it', () => {
    const operation = userOperationV07Builder('0.8').build();
    const eip7702Auth = { chainId: 1n, address: randomAddress(), nonce: 0n, r: 1n, s: 1n, yParity: 0 } as const;
    const added =
      preVerificationGasReference({ ...operation, eip7702Auth }, '0x') - preVerificationGasReference(operation, '0x');
    expect(added).toBe(25_000n);
  });

  it('does not depend on the limits and fees, which an attacker chooses', () => {
    const operation = userOperationV07Builder().with('callData', randomHex(100)).build();
    const inflated = { ...operation, preVerificationGas: 2n ** 100n, callGasLimit: 2n ** 100n };
    expect(preVerificationGasReference(inflated, nonZero(158))).toBe(
      preVerificationGasReference(operation, nonZero(158)),
    );
  });
});
