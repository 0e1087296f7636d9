import { ceilDiv, prechargeWei, prefundGas } from './money';

const limits = {
  callGasLimit: 100n,
  verificationGasLimit: 10n,
  preVerificationGas: 1n,
  paymasterVerificationGasLimit: 1_000n,
  paymasterPostOpGasLimit: 10_000n,
};

describe('ceilDiv', () => {
  it.each([
    [0n, 5n, 0n],
    [1n, 5n, 1n],
    [5n, 5n, 1n],
    [6n, 5n, 2n],
  ])('rounds %d / %d up to %d', (dividend, divisor, expected) => {
    expect(ceilDiv(dividend, divisor)).toBe(expected);
  });
});

describe('prefundGas', () => {
  it('counts the verification limit three times on v0.6 and has no paymaster limits', () => {
    expect(prefundGas('0.6', limits)).toBe(131n);
  });

  it.each(['0.7', '0.8', '0.9'] as const)('adds the paymaster limits on v%s', (version) => {
    expect(prefundGas(version, limits)).toBe(11_111n);
  });
});

describe('prechargeWei', () => {
  it('rounds the marked-up cost up to the next wei', () => {
    const input = { version: '0.6', limits, maxFeePerGas: 1n, unaccountedGas: 0n } as const;
    expect(prechargeWei({ ...input, feeMarkupMillionths: 1_000_000n })).toBe(131n);
    expect(prechargeWei({ ...input, feeMarkupMillionths: 1_000_001n })).toBe(132n);
  });

  it('prices the unaccounted gas at the fee the operation can reach', () => {
    expect(
      prechargeWei({ version: '0.8', limits, maxFeePerGas: 7n, unaccountedGas: 9n, feeMarkupMillionths: 1_000_000n }),
    ).toBe((11_111n + 9n) * 7n);
  });
});
