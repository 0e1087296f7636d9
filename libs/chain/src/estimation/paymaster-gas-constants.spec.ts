import { randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { PAYMASTER_GAS_CONSTANTS, paymasterGasFor } from './paymaster-gas-constants';

describe('paymasterGasFor', () => {
  it.each(['0.7', '0.8'] as const)('is the measured constants for an operation of ordinary size on v%s', (version) => {
    const operation = userOperationV07Builder(version).with('callData', randomHex(2_048)).build();
    expect(paymasterGasFor(operation)).toBe(PAYMASTER_GAS_CONSTANTS[version]);
  });

  it('raises the verification limit for every further word that validation hashes, rounded up', () => {
    const operation = userOperationV07Builder()
      .with('callData', randomHex(2_048 + 33))
      .build();
    const constants = PAYMASTER_GAS_CONSTANTS['0.7'];
    expect(paymasterGasFor(operation)).toEqual({
      ...constants,
      paymasterVerificationGasLimit:
        constants.paymasterVerificationGasLimit + 2n * constants.verificationGasPerCallDataWord,
    });
  });

  it('counts the factory call too', () => {
    const operation = userOperationV07Builder()
      .with('callData', randomHex(2_048))
      .with('factory', randomHex(20))
      .with('factoryData', randomHex(12))
      .build();
    expect(paymasterGasFor(operation).paymasterVerificationGasLimit).toBe(
      PAYMASTER_GAS_CONSTANTS['0.7'].paymasterVerificationGasLimit +
        PAYMASTER_GAS_CONSTANTS['0.7'].verificationGasPerCallDataWord,
    );
  });

  it('leaves v0.6 alone, where the paymaster has no limit of its own', () => {
    const operation = userOperationV06Builder().with('callData', randomHex(10_000)).build();
    expect(paymasterGasFor(operation)).toBe(PAYMASTER_GAS_CONSTANTS['0.6']);
  });
});
