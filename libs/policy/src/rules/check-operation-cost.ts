import { applyRules, pass, refuse, type Rule, type Verdict } from '../policies/verdict';

export interface OperationCostInput {
  /** The most the operation can cost, of the domain's `prechargeWei`; wei. */
  readonly prechargeWei: bigint;
  /** The paymaster's own cap (`maxOperationCostWei` of its settings), null for the default; wei. */
  readonly maxOperationCostWei: bigint | null;
  /** The operator's default for this chain; wei. */
  readonly defaultMaxOperationCostWei: bigint;
}

const RULES: readonly Rule<OperationCostInput>[] = [
  {
    name: 'operationCostCap',
    check: ({ prechargeWei, maxOperationCostWei, defaultMaxOperationCostWei }) => {
      const capWei = maxOperationCostWei ?? defaultMaxOperationCostWei;
      const input = `${prechargeWei} <= ${capWei} wei`;
      if (prechargeWei <= capWei) return pass(input);
      return refuse(input, {
        reason: 'OPERATION_COST_CAP_EXCEEDED',
        message: 'The operation could cost more than this paymaster allows for one operation',
        details: { field: 'maxOperationCostWei', value: prechargeWei.toString(), limit: capWei.toString() },
        isPublic: true,
      });
    },
  },
];

/** Whether one operation stays within its cost cap. Asked apart, once the gas limits are known. */
export function checkOperationCost(input: OperationCostInput): Verdict {
  return applyRules(RULES, input);
}
