import type { JsonSchema } from '../../json-rpc/rpc-method';
import type { Explanation } from '../../../answers/explain-operation.service';
import type { BudgetLook } from '../../../decide/facts/look-at-budgets';

/** The answer of `pm_explain`; amounts as decimal text. */
export interface ExplanationResult {
  readonly sponsored: boolean;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly policyId: string | null;
  readonly maxCostWei: string | null;
  readonly gasLimits: Readonly<Record<string, string>> | null;
  readonly budgets: readonly object[];
  readonly trace: readonly object[];
}

export function presentExplanation(explanation: Explanation): ExplanationResult {
  const { refusal, policyId, prechargeWei, limits, budgets, trace } = explanation;
  return {
    sponsored: refusal === undefined,
    ...(refusal && { reason: refusal.reason, message: refusal.message, details: asText(refusal.details) }),
    policyId,
    maxCostWei: prechargeWei?.toString() ?? null,
    gasLimits: limits && asText({ ...limits }),
    budgets: budgets.map(presentBudget),
    trace,
  };
}

function presentBudget({ claim, limit, used, held }: BudgetLook): object {
  return {
    rule: claim.refusal.rule,
    unit: claim.unit,
    needed: claim.amount.toString(),
    used: used.toString(),
    held: held.toString(),
    limit: limit.toString(),
    ...(claim.endsAtSeconds !== undefined && { resetsAtSeconds: claim.endsAtSeconds }),
  };
}

function asText(details: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(details).map(([key, value]) => [key, String(value)]));
}

const digits = { type: 'string', pattern: '^[0-9]+$' };

/** The answer of `pm_explain` about an operation. */
export const explanationSchema: JsonSchema = {
  title: 'Explanation',
  type: 'object',
  required: ['sponsored', 'policyId', 'maxCostWei', 'gasLimits', 'budgets', 'trace'],
  properties: {
    sponsored: { type: 'boolean', description: 'whether it would be sponsored now' },
    reason: { type: 'string', description: 'why not, as in `data.reason` of errors' },
    message: { type: 'string', description: 'the same as a sentence' },
    details: { type: 'object', additionalProperties: { type: 'string' } },
    policyId: { type: ['string', 'null'], description: 'the policy that would sponsor it, where there are any' },
    maxCostWei: { oneOf: [digits, { type: 'null' }], description: 'the most it can cost; null when refused before' },
    gasLimits: {
      oneOf: [{ type: 'object', additionalProperties: digits }, { type: 'null' }],
      description: 'the limits that would be signed',
    },
    budgets: {
      type: 'array',
      description: 'what it would be held in: limits of the policy and caps on live signatures',
      items: {
        type: 'object',
        required: ['rule', 'unit', 'needed', 'used', 'held', 'limit'],
        properties: {
          rule: { type: 'string' },
          unit: { enum: ['wei', 'microUsd', 'count'] },
          needed: digits,
          used: { ...digits, description: 'by all operations, this one included' },
          held: {
            ...digits,
            description: 'what of it this operation holds already; asked again, it takes only what is above',
          },
          limit: { ...digits, description: 'of a share of a client: what it comes to now' },
          resetsAtSeconds: { type: 'integer', description: 'unix seconds; absent for limits that never reset' },
        },
      },
    },
    trace: {
      type: 'array',
      description: 'every rule that was looked at, in order',
      items: {
        type: 'object',
        required: ['rule', 'input', 'outcome'],
        properties: {
          rule: { type: 'string' },
          input: { type: 'string' },
          outcome: { enum: ['pass', 'refuse', 'skip'] },
        },
      },
    },
  },
};
