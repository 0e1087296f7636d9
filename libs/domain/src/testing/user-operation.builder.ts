import { faker } from '@faker-js/faker';
import type { PackedVersion } from '../entry-point';
import type { Address, Hex } from '../hex';
import type { UserOperationV06, UserOperationV07 } from '../user-operation';
import { builder, type Builder } from './builder';

export const randomHex = (bytes: number): Hex =>
  faker.string.hexadecimal({ length: bytes * 2, casing: 'lower', prefix: '0x' }) as Hex;
export const randomAddress = (): Address => randomHex(20);

const common = () => ({
  sender: randomAddress(),
  nonce: faker.number.bigInt({ max: 2n ** 64n }),
  callData: randomHex(faker.number.int({ min: 4, max: 256 })),
  callGasLimit: faker.number.bigInt({ min: 21_000n, max: 2_000_000n }),
  verificationGasLimit: faker.number.bigInt({ min: 50_000n, max: 500_000n }),
  preVerificationGas: faker.number.bigInt({ min: 21_000n, max: 200_000n }),
  maxFeePerGas: faker.number.bigInt({ min: 1_000_000_000n, max: 100_000_000_000n }),
  maxPriorityFeePerGas: faker.number.bigInt({ min: 1n, max: 1_000_000_000n }),
  signature: randomHex(65),
});

/** A random v0.6 operation of a deployed account. */
export const userOperationV06Builder = (): Builder<UserOperationV06> =>
  builder<UserOperationV06>({ ...common(), entryPointVersion: '0.6', initCode: '0x' });

/** A random v0.7 (or, given so, later) operation of a deployed account. */
export const userOperationV07Builder = (version: PackedVersion = '0.7'): Builder<UserOperationV07> =>
  builder<UserOperationV07>({ ...common(), entryPointVersion: version });
