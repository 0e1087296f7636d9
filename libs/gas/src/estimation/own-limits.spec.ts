import { userOperationV07Builder } from '@paymaster/domain/testing';
import { OwnLimitsMemory } from './own-limits';

const LIMITS = { callGasLimit: 1n, verificationGasLimit: 2n, preVerificationGas: 3n };

describe('OwnLimitsMemory', () => {
  it('knows an operation that does the same again, whatever its nonce, signature, limits and fees', () => {
    const memory = new OwnLimitsMemory();
    const operation = userOperationV07Builder().build();
    memory.remember(operation, LIMITS);
    const again = { ...operation, nonce: operation.nonce + 1n, signature: '0x12', maxFeePerGas: 7n, callGasLimit: 9n };
    expect(memory.of(again as typeof operation)).toMatchObject(LIMITS);
  });

  it.each([
    ['account', { sender: `0x${'12'.repeat(20)}` }],
    ['call', { callData: '0x1234' }],
    ['deployment', { factory: `0x${'12'.repeat(20)}`, factoryData: '0x' }],
    ['EntryPoint', { entryPointVersion: '0.8' }],
  ])('says nothing about another %s', (_what, other) => {
    const memory = new OwnLimitsMemory();
    const operation = userOperationV07Builder('0.7').with('callData', '0x56').build();
    memory.remember(operation, LIMITS);
    expect(memory.of({ ...operation, ...other } as typeof operation)).toBeUndefined();
  });

  it('forgets preVerificationGas after a minute and the rest after ten', () => {
    let nowMs = 0;
    const memory = new OwnLimitsMemory(() => nowMs);
    const operation = userOperationV07Builder().build();
    memory.remember(operation, LIMITS);
    nowMs = 60_000;
    expect(memory.of(operation)?.preVerificationGas).toBe(3n);
    nowMs = 60_001;
    expect(memory.of(operation)).toMatchObject({ ...LIMITS, preVerificationGas: 0n });
    nowMs = 600_001;
    expect(memory.of(operation)).toBeUndefined();
  });
});
