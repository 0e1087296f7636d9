import type { UserOperation } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { gasReference, maxPreVerificationGas } from './gas-reference';

const nonZero = (bytes: number): `0x${string}` => `0x${'ff'.repeat(bytes)}`;
const referenceOf = (operation: UserOperation, paymasterAndData = nonZero(158)): bigint =>
  gasReference(operation, paymasterAndData).preVerificationGas;

describe('gasReference', () => {
  it('is overhead and call data for a common operation', () => {
    const operation = userOperationV07Builder().with('callData', nonZero(132)).build();
    expect(referenceOf(operation)).toBeGreaterThan(43_000n);
    expect(referenceOf(operation)).toBeLessThan(50_000n);
  });

  it('grows by 16 gas per non-zero byte, 4 per zero byte and the words to copy', () => {
    const base = userOperationV06Builder().with('callData', '0x');
    const empty = referenceOf(base.build());
    expect(referenceOf(base.with('callData', nonZero(32)).build()) - empty).toBe(32n * 16n + 9n);
    expect(referenceOf(base.with('callData', nonZero(1)).build()) - empty).toBe(16n + 31n * 4n + 9n);
  });

  it('counts every byte of any length, also after longer ones', () => {
    const base = userOperationV06Builder().with('callData', '0x');
    const empty = referenceOf(base.build());
    for (const [length, every] of [...Array(9).keys()].flatMap((bytes) => [[5_000, 1] as const, [bytes, 2] as const])) {
      const bytes = Buffer.from(Array.from({ length }, (_, at) => (at % every === 0 ? 0x80 : 0)));
      const nonZeroBytes = Math.ceil(length / every);
      const words = Math.ceil(length / 32);
      const gas = BigInt(nonZeroBytes * 16 + (words * 32 - nonZeroBytes) * 4 + words * 9);
      expect(referenceOf(base.with('callData', `0x${bytes.toString('hex')}`).build()) - empty).toBe(gas);
    }
  });

  it('counts the call-data floor of EIP-7623 only above what the limits can reach', () => {
    const large = userOperationV07Builder().with('callData', nonZero(20_000));
    const limits = (gas: bigint) =>
      referenceOf({ ...large.build(), callGasLimit: gas, verificationGasLimit: gas } as UserOperation);
    expect(limits(10_000n)).toBeGreaterThan(20_000n * 40n - 20_000n);
    expect(limits(10_000n) - limits(20_000n)).toBe(20_000n);
    expect(limits(1_000_000n)).toBeLessThan(20_000n * 16n + 70_000n);
  });

  it('counts the whole signature that is sent, and tells what of it is longer than usual', () => {
    const operation = userOperationV07Builder().build();
    const signed = (bytes: number) => gasReference({ ...operation, signature: nonZero(bytes) }, nonZero(158));
    expect(signed(65).preVerificationGas - signed(0).preVerificationGas).toBe(65n * 16n + 31n * 4n);
    expect(signed(65).longSignatureGas).toBe(0n);
    expect(signed(320).preVerificationGas - signed(0).preVerificationGas).toBe(320n * 16n);
    expect(signed(320).longSignatureGas).toBe(320n * 16n - 2_000n);
  });

  it('includes the 25,000 gas of an EIP-7702 authorization', () => {
    const operation = userOperationV07Builder('0.8').build();
    const eip7702Auth = { chainId: 1n, address: randomAddress(), nonce: 0n, r: 1n, s: 1n, yParity: 0 } as const;
    expect(referenceOf({ ...operation, eip7702Auth }) - referenceOf(operation)).toBe(25_000n);
  });

  it('tells what is saved by a contract that makes large call data', () => {
    // The floor of EIP-7623 depends on the limits, so all have the same.
    const operation = { ...userOperationV06Builder().with('initCode', '0x').build(), callGasLimit: 100_000n };
    const savedOf = (callData: `0x${string}`) => gasReference({ ...operation, callData }, '0x').sparedDataGas;
    expect(savedOf(nonZero(96))).toBe(0n);
    const savedGas = savedOf(nonZero(6_400)) - savedOf(nonZero(3_200));
    // At least what the bytes cost, and at most EIP-7623's floor for them with the words to copy.
    expect(savedGas).toBeGreaterThanOrEqual(3_200n * 15n);
    expect(savedGas).toBeLessThanOrEqual(3_200n * 40n);
  });

  it('does not depend on fees and preVerificationGas, which an attacker chooses', () => {
    const operation = userOperationV07Builder().with('callData', randomHex(100)).build();
    const inflated = { ...operation, preVerificationGas: 2n ** 100n, maxFeePerGas: 2n ** 100n };
    expect(referenceOf(inflated)).toBe(referenceOf(operation));
  });
});

describe('maxPreVerificationGas', () => {
  const reference = {
    preVerificationGas: 100_000n,
    longSignatureGas: 0n,
    sparedDataGas: 0n,
    transactionGas: 0n,
    bundlersGas: 0n,
  };

  it.each([
    ['half as much again', { ...reference }, 150_000n],
    ['25,000 gas more, where that is more', { ...reference, preVerificationGas: 40_000n }, 65_000n],
    ['a tenth more than bundlers ask, where that is more', { ...reference, bundlersGas: 200_000n }, 220_000n],
  ])('is %s', (_title, counted, most) => {
    expect(maxPreVerificationGas(counted)).toBe(most);
  });

  it('lets limits of tutorials and bundlers through for an operation that does little', () => {
    const operation = userOperationV07Builder('0.7')
      .with('callData', nonZero(132))
      .with('signature', nonZero(65))
      .build();
    expect(maxPreVerificationGas(gasReference(operation, nonZero(158)))).toBeGreaterThan(60_000n);
  });
});
