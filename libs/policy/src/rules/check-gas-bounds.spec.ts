import { checkGasBounds, type GasBoundsInput } from './check-gas-bounds';

const GWEI = 10n ** 9n;

const plausible: GasBoundsInput = {
  limits: { callGasLimit: 200_000n, verificationGasLimit: 150_000n, preVerificationGas: 50_000n },
  maxFeePerGas: 40n * GWEI,
  maxPriorityFeePerGas: 2n * GWEI,
  maxPreVerificationGas: 60_000n,
  handWrittenVerificationGas: 250_000n,
  maxPriorityFeePerGasWei: 50n * GWEI,
  baseFeePerGas: 20n * GWEI,
  allowEqualFees: true,
  bounds: {
    maxCallGasLimit: 10_000_000n,
    maxVerificationGasLimit: 1_500_000n,
    maxFeePercentOfBaseFee: 500n,
    feeFloorWei: GWEI / 10n,
  },
};

const withLimits = (limits: Partial<GasBoundsInput['limits']>): GasBoundsInput => ({
  ...plausible,
  limits: { ...plausible.limits, ...limits },
});
const withFees = (fees: Partial<GasBoundsInput>): GasBoundsInput => ({ ...plausible, ...fees });

describe('checkGasBounds', () => {
  it('should pass a plausible operation with one line per field', () => {
    const verdict = checkGasBounds(plausible);
    expect(verdict.allowed).toBe(true);
    expect(verdict.trace).toEqual(
      [
        ['callGasLimit', '200000 <= 10000000'],
        ['verificationGasLimit', '150000 <= 1500000'],
        ['preVerificationGas', '50000 <= 60000'],
        ['maxPriorityFeePerGas <= maxFeePerGas', '2000000000 <= 40000000000'],
        ['maxFeePerGas >= half the base fee', '40000000000 >= 10000000000'],
        ['equalFees', '40000000000 != 2000000000'],
        ['maxPriorityFeePerGas', '2000000000 <= 50000000000'],
        ['maxFeePerGas', '40000000000 <= 110000000000'],
      ].map(([rule, input]) => ({ rule, input, outcome: 'pass' })),
    );
  });

  it.each([
    ['callGasLimit', 10_000_000n, 'CALL_GAS_LIMIT_TOO_HIGH'],
    ['verificationGasLimit', 1_500_000n, 'VERIFICATION_GAS_LIMIT_TOO_HIGH'],
    ['preVerificationGas', 60_000n, 'PRE_VERIFICATION_GAS_TOO_HIGH'],
  ] as const)('should pass %s at its bound of %s and refuse one more', (field, bound, reason) => {
    expect(checkGasBounds(withLimits({ [field]: bound }))).toMatchObject({ allowed: true });
    expect(checkGasBounds(withLimits({ [field]: bound + 1n }))).toMatchObject({
      allowed: false,
      reason,
      message: `${field} is too high to be sponsored`,
      details: { field, value: (bound + 1n).toString(), limit: bound.toString() },
      isPublic: true,
    });
  });

  it('should bound maxFeePerGas by base fee and tip', () => {
    const ceiling = 5n * (20n + 2n) * GWEI;
    expect(checkGasBounds(withFees({ maxFeePerGas: ceiling }))).toMatchObject({ allowed: true });
    expect(checkGasBounds(withFees({ maxFeePerGas: ceiling + 1n }))).toMatchObject({
      reason: 'MAX_FEE_PER_GAS_TOO_HIGH',
      details: { field: 'maxFeePerGas', value: `${ceiling + 1n}`, limit: `${ceiling}` },
    });
  });

  it('should bound the tip by what the chain pays, whatever the base fee is', () => {
    const tip = 50n * GWEI;
    for (const baseFeePerGas of [20n * GWEI, 200n * GWEI]) {
      const fees = { baseFeePerGas, maxFeePerGas: 250n * GWEI };
      expect(checkGasBounds(withFees({ ...fees, maxPriorityFeePerGas: tip }))).toMatchObject({ allowed: true });
      expect(checkGasBounds(withFees({ ...fees, maxPriorityFeePerGas: tip + 1n }))).toMatchObject({
        reason: 'MAX_PRIORITY_FEE_PER_GAS_TOO_HIGH',
        details: { field: 'maxPriorityFeePerGas', value: (tip + 1n).toString(), limit: tip.toString() },
        isPublic: true,
      });
    }
  });

  const MEASURED = { callGasLimit: 58_859n, verificationGasLimit: 40_000n };

  it.each([
    ['what alto asks to mint one NFT', { callGasLimit: 120_534n }],
    ['limits of tutorials', { callGasLimit: 100_000n, verificationGasLimit: 200_000n, preVerificationGas: 60_000n }],
    ['three times as much, and 150,000 for calls', { callGasLimit: 3n * 58_859n + 150_000n }],
    ['three times as much, and 250,000 for validation', { verificationGasLimit: 3n * 40_000n + 250_000n }],
  ])('should pass %s beside what was measured', (_title, limits) => {
    expect(checkGasBounds({ ...withLimits(limits), measured: MEASURED })).toMatchObject({ allowed: true });
  });

  it.each([
    ['callGasLimit', 3n * 58_859n + 150_000n, 'CALL_GAS_LIMIT_TOO_HIGH'],
    ['verificationGasLimit', 3n * 40_000n + 250_000n, 'VERIFICATION_GAS_LIMIT_TOO_HIGH'],
  ] as const)('should refuse a %s above that', (field, limit, reason) => {
    const input = { ...withLimits({ [field]: limit + 1n }), measured: MEASURED };
    expect(checkGasBounds(input)).toMatchObject({ reason, details: { field, limit: limit.toString() } });
    expect(checkGasBounds({ ...input, measured: undefined })).toMatchObject({ allowed: true });
  });

  it('should pass the caps of the chain only, where more was measured', () => {
    const measured = { callGasLimit: 20_000_000n, verificationGasLimit: 20_000_000n };
    expect(checkGasBounds({ ...withLimits({ callGasLimit: 10_000_001n }), measured })).toMatchObject({
      ...{ reason: 'CALL_GAS_LIMIT_TOO_HIGH', details: { limit: '10000000' } },
    });
  });

  it('should let a passkey account send the validation gas that viem writes for it', () => {
    const input = { ...withLimits({ verificationGasLimit: 800_000n }), measured: MEASURED };
    expect(checkGasBounds({ ...input, handWrittenVerificationGas: 800_000n })).toMatchObject({ allowed: true });
  });

  it('should never refuse limits that the platform calculated', () => {
    const limits = { callGasLimit: 10n ** 12n, verificationGasLimit: 10n ** 12n, preVerificationGas: 10n ** 12n };
    expect(checkGasBounds({ ...plausible, limits, isOwnAnswer: true })).toMatchObject({ allowed: true });
    expect(checkGasBounds({ ...plausible, limits })).toMatchObject({ allowed: false });
  });

  it('should let a fee up to the floor pass where the base fee is near zero, and no more', () => {
    const bounds = { ...plausible.bounds, feeFloorWei: 10n * GWEI };
    const fees = { bounds, baseFeePerGas: 7n, maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 1n };
    expect(checkGasBounds(withFees(fees))).toMatchObject({ allowed: true });
    expect(checkGasBounds(withFees({ ...fees, maxFeePerGas: 1_000n * GWEI }))).toMatchObject({
      reason: 'MAX_FEE_PER_GAS_TOO_HIGH',
    });
  });

  it.each([5_000_000n, 500_000_000n])(
    'should refuse what is many times a base fee of %s wei, as on most rollups',
    (baseFeePerGas) => {
      const fees = { baseFeePerGas, maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 0n };
      expect(checkGasBounds(withFees(fees))).toMatchObject({ reason: 'MAX_FEE_PER_GAS_TOO_HIGH' });
    },
  );

  it('should refuse a fee below half the base fee, which almost costs nothing to hold', () => {
    const fees = { maxPriorityFeePerGas: 1n };
    expect(checkGasBounds(withFees({ ...fees, maxFeePerGas: 10n * GWEI }))).toMatchObject({ allowed: true });
    expect(checkGasBounds(withFees({ ...fees, maxFeePerGas: 10n * GWEI - 1n }))).toMatchObject({
      reason: 'MAX_FEE_PER_GAS_TOO_LOW',
      message: 'maxFeePerGas is so far below the base fee that the operation could not be included',
      details: { field: 'maxFeePerGas', value: `${10n * GWEI - 1n}`, limit: `${10n * GWEI}` },
      isPublic: true,
    });
    expect(checkGasBounds(withFees({ baseFeePerGas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }))).toMatchObject({
      allowed: true,
    });
  });

  it('should refuse a tip above the fee', () => {
    expect(checkGasBounds(withFees({ maxPriorityFeePerGas: 40n * GWEI + 1n }))).toMatchObject({
      reason: 'MAX_PRIORITY_FEE_ABOVE_MAX_FEE',
      details: { field: 'maxPriorityFeePerGas', value: `${40n * GWEI + 1n}`, limit: `${40n * GWEI}` },
    });
  });

  describe('equal fees, which the EntryPoint bills whole', () => {
    const equal = (feeWei: bigint, more: Partial<GasBoundsInput> = {}) =>
      withFees({ maxFeePerGas: feeWei, maxPriorityFeePerGas: feeWei, ...more });

    it('should pass up to 250 % of the base fee and the highest tip, which is more than any known client sends', () => {
      const limit = ((20n + 50n) * GWEI * 250n) / 100n;
      expect(checkGasBounds(equal(limit))).toMatchObject({ allowed: true });
      expect(checkGasBounds(equal(limit + 1n))).toMatchObject({
        reason: 'LEGACY_FEES_REFUSED',
        message: 'maxPriorityFeePerGas equal to maxFeePerGas is too high to be sponsored',
        details: { field: 'maxPriorityFeePerGas', value: String(limit + 1n), limit: String(limit) },
        isPublic: true,
      });
    });

    it('should be refused where the paymaster does not allow them, with a tip that passes', () => {
      const message = 'maxPriorityFeePerGas equal to maxFeePerGas is not sponsored on a chain with a base fee';
      const refused = { reason: 'LEGACY_FEES_REFUSED', message, isPublic: true };
      for (const [feeWei, limit] of [
        [30n * GWEI, 30n * GWEI - 1n],
        [60n * GWEI, 50n * GWEI],
      ] as const) {
        const input = equal(feeWei, { allowEqualFees: false });
        const details = { field: 'maxPriorityFeePerGas', value: String(feeWei), limit: String(limit) };
        expect(checkGasBounds(input)).toMatchObject({ ...refused, details });
        expect(checkGasBounds({ ...input, maxPriorityFeePerGas: limit })).toMatchObject({ allowed: true });
      }
    });

    it('should pass without a base fee, and up to it, whatever the paymaster allows', () => {
      for (const baseFeePerGas of [0n, GWEI / 100n]) {
        const input = equal(GWEI / 100n, { baseFeePerGas, allowEqualFees: false });
        const verdict = checkGasBounds(input);
        expect(verdict.allowed).toBe(true);
        const why = baseFeePerGas === 0n ? 'the chain has no base fee' : 'nothing above the base fee';
        expect(verdict.trace).toContainEqual({ rule: 'equalFees', outcome: 'skip', input: why });
      }
    });
  });

  it.each([
    ['preVerificationGas times 10', withLimits({ preVerificationGas: 500_000n })],
    ['tip times 100', withFees({ maxFeePerGas: 240n * GWEI, maxPriorityFeePerGas: 200n * GWEI })],
    ['fee times 50', withFees({ maxFeePerGas: 2_000n * GWEI })],
    ['fee of 10^20 wei', withFees({ maxFeePerGas: 10n ** 20n })],
    ['preVerificationGas of 10^12', withLimits({ preVerificationGas: 10n ** 12n })],
    ['callGasLimit of 2^128', withLimits({ callGasLimit: 2n ** 128n })],
  ])('should refuse the self-bundling siphon: %s', (_title, hostile) => {
    expect(checkGasBounds(hostile)).toMatchObject({ allowed: false });
  });
});
