import { EIP7702_MARKER, type EntryPointVersion, type Hex, type UserOperation } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import {
  gasReference,
  maxPreVerificationGas,
  preVerificationGasBesideCalls,
  unprovenCallGasLimit,
} from './gas-reference';

const nonZero = (bytes: number): `0x${string}` => `0x${'ff'.repeat(bytes)}`;
const referenceOf = (operation: UserOperation, paymasterAndData = nonZero(158)): bigint =>
  gasReference(operation, paymasterAndData).preVerificationGas;

describe('gasReference', () => {
  it('is overhead and call data for a common operation', () => {
    const operation = userOperationV07Builder().with('callData', nonZero(132)).build();
    expect(referenceOf(operation)).toBeGreaterThan(43_000n);
    expect(referenceOf(operation)).toBeLessThan(50_000n);
  });

  it.each([
    ['0.8', 32_000n],
    ['0.9', 0n],
  ] as const)(
    'counts on a deployment on v%s with %d gas: v0.9 skips the factory of an account with code',
    (version, gas) => {
      const [factory, factoryData] = [randomAddress(), nonZero(64)];
      const base = { ...userOperationV07Builder(version).build(), nonce: 1n };
      const measured = (operation: UserOperation) => {
        const { leastTransactionGas, leastPreVerificationGas } = gasReference(operation, nonZero(158));
        return leastTransactionGas - leastPreVerificationGas;
      };
      expect(measured({ ...base, factory, factoryData }) - measured(base)).toBe(gas);
    },
  );

  it('counts on no deployment behind the marker of a delegation', () => {
    const base = { ...userOperationV07Builder('0.8').build(), nonce: 1n };
    const measured = (operation: UserOperation) => {
      const { leastTransactionGas, leastPreVerificationGas } = gasReference(operation, nonZero(158));
      return leastTransactionGas - leastPreVerificationGas;
    };
    expect(measured({ ...base, factory: EIP7702_MARKER, factoryData: '0x' })).toBe(measured(base));
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

  it('counts little of a signature, because no signature covers it and an attacker leaves it out', () => {
    const operation = userOperationV07Builder().build();
    const signed = (bytes: number) => gasReference({ ...operation, signature: nonZero(bytes) }, nonZero(158));
    expect(signed(65).preVerificationGas - signed(0).preVerificationGas).toBe(65n * 16n + 31n * 4n);
    expect(signed(7_100).preVerificationGas - signed(0).preVerificationGas).toBe(2_000n);
    expect(signed(7_100).leastTransactionGas).toBe(signed(0).leastTransactionGas);
  });

  it('includes the 25,000 gas of an EIP-7702 authorization', () => {
    const operation = userOperationV07Builder('0.8').build();
    const eip7702Auth = { chainId: 1n, address: randomAddress(), nonce: 0n, r: 1n, s: 1n, yParity: 0 } as const;
    expect(referenceOf({ ...operation, eip7702Auth }) - referenceOf(operation)).toBe(25_000n);
  });

  it('reports separately what a bundler saves whose contract makes large call data', () => {
    const operation = (callData: Hex) => userOperationV07Builder().with('callData', callData).build();
    const savedOf = (callData: Hex): bigint => gasReference(operation(callData), nonZero(158)).inflatableGas;
    // For a batch of two calls the attacker's contract does not pay off. With more bytes it saves 16 gas per non-zero
    // byte and 4 per zero byte.
    expect(savedOf(`0x${'00'.repeat(448)}${'ff'.repeat(224)}`)).toBe(0n);
    expect(savedOf(nonZero(6_400)) - savedOf(nonZero(3_200))).toBe(3_200n * 15n);
    expect(savedOf(`0x${'00'.repeat(6_400)}`) - savedOf(`0x${'00'.repeat(3_200)}`)).toBe(3_200n * 3n);
  });

  it('does not depend on fees and preVerificationGas, which an attacker chooses', () => {
    const operation = userOperationV07Builder().with('callData', randomHex(100)).build();
    const inflated = { ...operation, preVerificationGas: 2n ** 100n, maxFeePerGas: 2n ** 100n };
    expect(referenceOf(inflated)).toBe(referenceOf(operation));
  });
});

describe('maxPreVerificationGas', () => {
  const reference = {
    ...{
      preVerificationGas: 50_000n,
      leastPreVerificationGas: 49_000n,
      leastTransactionGas: 110_000n,
      leastCallGas: 0n,
    },
    inflatableGas: 10_000n,
  };

  it.each([
    ['a percentage of the reference', 110n, 120n, 55_000n],
    ['what a bundler may get beside what he spends', 150n, 107n, 49_000n + 7_700n],
  ])('is %s, if that is lower', (_title, maxPreVerificationGasPercent, maxBundlerReturnPercent, expected) => {
    expect(maxPreVerificationGas(reference, { maxPreVerificationGasPercent, maxBundlerReturnPercent })).toBe(expected);
  });
});

describe('maxPreVerificationGas of large call data', () => {
  const bounds = { maxPreVerificationGasPercent: 150n, maxBundlerReturnPercent: 107n };
  const reference = {
    ...{
      preVerificationGas: 80_000n,
      leastPreVerificationGas: 80_000n,
      leastTransactionGas: 150_000n,
      leastCallGas: 0n,
    },
    inflatableGas: 20_000n,
  };

  it.each([
    ['nothing is proven: what an attacker saves is not paid', 0n, 80_000n + 10_500n - 21_400n],
    ['gas is proven: its percentage is paid too', 100_000n, 80_000n + 10_500n - 21_400n + 7_000n],
    ['much gas is proven: no more than without a contract', 10_000_000n, 80_000n + 10_500n],
    ['nobody asked', undefined, 80_000n + 10_500n],
  ])('where %s', (_title, provenGas, expected) => {
    expect(maxPreVerificationGas(reference, bounds, provenGas)).toBe(expected);
  });
});

describe('unprovenCallGasLimit', () => {
  const operations = {
    '0.6': userOperationV06Builder().build(),
    '0.7': userOperationV07Builder('0.7').build(),
    '0.8': userOperationV07Builder('0.8').build(),
    '0.9': userOperationV07Builder('0.9').build(),
  };
  const limitOf = (version: EntryPointVersion, preVerificationGas: bigint): bigint | undefined => {
    const operation = { ...operations[version], nonce: 1n };
    const { leastPreVerificationGas } = gasReference(operation, nonZero(158));
    const exact = { ...operation, preVerificationGas: leastPreVerificationGas + preVerificationGas };
    return unprovenCallGasLimit(exact, gasReference(exact, nonZero(158)), {
      paymasterPostOpGasLimit: 22_000n,
      percent: 107n,
    });
  };

  it('bounds nothing on v0.6, which does not charge for unused gas', () => {
    expect(limitOf('0.6', 0n)).toBeUndefined();
  });

  it('leaves less call gas to a bundler who gets more from preVerificationGas', () => {
    expect(limitOf('0.7', 0n)).toBeGreaterThan(50_000n);
    expect((limitOf('0.7', 0n) ?? 0n) - (limitOf('0.7', 1_000n) ?? 0n)).toBe(10_000n);
    expect(limitOf('0.7', 50_000n)).toBe(0n);
  });

  it('leaves less if a contract of the bundler saves call data', () => {
    const operation = { ...operations['0.7'], nonce: 1n, callData: nonZero(1_000) };
    const reference = gasReference(operation, nonZero(158));
    const limit = (inflatableGas: bigint) =>
      unprovenCallGasLimit(
        { ...operation, preVerificationGas: reference.leastPreVerificationGas },
        { ...reference, inflatableGas },
        { paymasterPostOpGasLimit: 22_000n, percent: 107n },
      );
    expect((limit(0n) ?? 0n) - (limit(1_000n) ?? 0n)).toBe(10_700n);
  });

  it('leaves on v0.8 the gas that its EntryPoint does not penalise', () => {
    expect(limitOf('0.8', 50_000n)).toBe(39_999n + 18_500n - 22_000n);
  });

  it.each(['0.7', '0.8', '0.9'] as const)('allows on v%s exactly what is allowed beside it', (version) => {
    const terms = { paymasterPostOpGasLimit: 22_000n, percent: 107n };
    for (const callGasLimit of [1n, 36_499n, 36_500n, 36_501n, 50_009n, 90_000n, 1_000_000n]) {
      const operation = { ...operations[version], nonce: 1n, callGasLimit };
      const reference = gasReference(operation, nonZero(158));
      const most = preVerificationGasBesideCalls(operation, reference, terms);
      for (const preVerificationGas of [most - 1n, most, most + 1n, most + 11n]) {
        const limit = unprovenCallGasLimit({ ...operation, preVerificationGas }, reference, terms) ?? 0n;
        // With the few calls that v0.8 allows without a penalty, other bounds limit the surplus of preVerificationGas.
        const isForgiven = version !== '0.7' && callGasLimit <= 36_499n;
        expect([preVerificationGas - most, callGasLimit <= limit]).toEqual([
          preVerificationGas - most,
          isForgiven || preVerificationGas <= most,
        ]);
      }
    }
  });
});
