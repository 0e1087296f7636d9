import { traceIfAllowed } from '../policies/verdict';
import { checkOperationCost } from './check-operation-cost';

describe('checkOperationCost', () => {
  it.each([
    ["the operator's default", { maxOperationCostWei: null, defaultMaxOperationCostWei: 1_000n }],
    ["the paymaster's own lower cap", { maxOperationCostWei: 1_000n, defaultMaxOperationCostWei: 5_000n }],
    ["the paymaster's own higher cap", { maxOperationCostWei: 1_000n, defaultMaxOperationCostWei: 10n }],
  ])('should sponsor up to %s and not a wei more', (_title, caps) => {
    expect(checkOperationCost({ prechargeWei: 1_000n, ...caps })).toEqual({
      allowed: true,
      trace: [{ rule: 'operationCostCap', input: '1000 <= 1000 wei', outcome: 'pass' }],
    });
    expect(checkOperationCost({ prechargeWei: 1_001n, ...caps })).toMatchObject({
      allowed: false,
      reason: 'OPERATION_COST_CAP_EXCEEDED',
      message: 'The operation could cost more than this paymaster allows for one operation',
      details: { field: 'maxOperationCostWei', value: '1001', limit: '1000' },
      isPublic: true,
      trace: [{ rule: 'operationCostCap', input: '1001 <= 1000 wei', outcome: 'refuse' }],
    });
  });

  it('should carry value and limit in its error, for every client', () => {
    const verdict = checkOperationCost({
      prechargeWei: 2n,
      maxOperationCostWei: 1n,
      defaultMaxOperationCostWei: 9n,
    });
    expect(() => traceIfAllowed(verdict)).toThrow(
      expect.objectContaining({
        reason: 'OPERATION_COST_CAP_EXCEEDED',
        details: { field: 'maxOperationCostWei', value: '2', limit: '1' },
        isPublic: true,
        trace: verdict.trace,
      }),
    );
  });

  it('should refuse everything that costs when the cap is zero', () => {
    const caps = { maxOperationCostWei: 0n, defaultMaxOperationCostWei: 1_000n };
    expect(checkOperationCost({ prechargeWei: 1n, ...caps })).toMatchObject({ allowed: false });
  });
});
