import type { Schemas } from '../api/queries';

export type PolicyType = Schemas['CreatePolicyDto']['policyType'];
export type PolicyData = Schemas['CreatePolicyDto']['policyData'];
export type Draft = { readonly name: string; readonly policyType: PolicyType; readonly policyData: PolicyData };

export const POLICY_TYPES: readonly { value: PolicyType; label: string; says: string }[] = [
  { value: 'RULES', label: 'Rules', says: 'Who, what, how much and how often: sponsors what fits all its rules.' },
  {
    value: 'PAYMASTER_SA_LIMIT',
    label: 'Limit per cycle',
    says: 'One limit from now on, of the paymaster or of each account.',
  },
  { value: 'WALLET_DEPLOYMENT', label: 'Deployments', says: 'Sponsors deployments that call nothing whitelisted.' },
  { value: 'WEBHOOK', label: 'Ask your server', says: 'Your server is asked for every operation.' },
];

/** A new policy of a kind, as the editor begins. */
export function emptyData(policyType: PolicyType): PolicyData {
  switch (policyType) {
    case 'RULES':
      return { priority: 100, limits: [{ scope: 'USER', measure: 'COUNT', amount: '10', cycle: 'DAY' }] };
    case 'PAYMASTER_SA_LIMIT':
      return {
        type: 'SMART_ACCOUNT',
        cycleDuration: { unit: 'day', value: 1 },
        thresholdType: 'COUNT',
        threshold: '10',
      };
    case 'WALLET_DEPLOYMENT':
      return {};
    case 'WEBHOOK':
      return { url: '' };
  }
}

/** The data without fields that only answers have. */
function sendable(policyType: PolicyType, data: PolicyData): PolicyData {
  const { startTimeInEpoch: _, durationInMs: __, operator: ___, ...rest } = data as Record<string, unknown>;
  return (policyType === 'WALLET_DEPLOYMENT' ? {} : rest) as PolicyData;
}

/** A stored policy as the editor has it. */
export function draftOf({ name, policyType, policyData }: Schemas['PolicyView']): Draft {
  return { name, policyType, policyData: sendable(policyType, policyData) };
}

/** Name and rules beside each other, for what compares them field by field. */
export function fieldsOf({ name, policyData }: Draft): { readonly name: string } & Readonly<Record<string, unknown>> {
  return { ...policyData, name };
}
