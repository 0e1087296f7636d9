import type { Schemas } from '../api/queries';
import type { Limit } from './sentences';

/** A policy of one paymaster, or of the account, which several paymasters share. */
export type StoredPolicy = Schemas['PolicyView'] | Schemas['SharedPolicyView'];
export type PolicyType = StoredPolicy['policyType'];
export type PolicyData = Schemas['LoggedPolicy']['policyData'];

/** A policy as its editor has it. */
export interface Draft {
  readonly name: string;
  readonly policyType: PolicyType;
  readonly policyData: PolicyData;
  /** The paymasters that share it; left out where it is of one paymaster. */
  readonly paymasterIds?: readonly string[];
}

/** A kind of policy, and the data that a new one begins with. */
export interface PolicyKind extends Pick<Draft, 'policyType' | 'policyData'> {
  readonly label: string;
  readonly says: string;
}

export const POLICY_KINDS: readonly PolicyKind[] = [
  {
    ...{ policyType: 'RULES', label: 'Rules' },
    says: 'Who, what, how much and how often: sponsors what fits all its rules.',
    policyData: { priority: 100, limits: [{ scope: 'USER', measure: 'COUNT', amount: '10', cycle: 'DAY' }] },
  },
  {
    ...{ policyType: 'PAYMASTER_SA_LIMIT', label: 'Limit per cycle' },
    says: 'One limit from now on, of the paymaster or of each account.',
    policyData: {
      ...{ type: 'SMART_ACCOUNT', cycleDuration: { unit: 'day', value: 1 } },
      ...{ thresholdType: 'COUNT', threshold: '10' },
    },
  },
  {
    ...{ policyType: 'WALLET_DEPLOYMENT', label: 'Deployments' },
    says: 'Sponsors deployments that call nothing whitelisted.',
    policyData: {},
  },
  {
    ...{ policyType: 'WEBHOOK', label: 'Ask your server' },
    says: 'Your server is asked for every operation.',
    policyData: { url: '' },
  },
];

const MONTHLY: Limit = { scope: 'PAYMASTER', measure: 'USD', amount: '100', cycle: 'MONTH' };

export const SHARED_KINDS: readonly PolicyKind[] = [
  {
    ...{ policyType: 'SPENDING_LIMITS', label: 'Limits' },
    says: 'Limits on all that these paymasters sponsor together, beside their own policies.',
    policyData: { limits: [MONTHLY] },
  },
  {
    ...{ policyType: 'RULES', label: 'Rules' },
    says: 'Who, what, how much and how often: sponsors what fits all its rules. Its limits count over all of them.',
    policyData: { priority: 100, limits: [MONTHLY] },
  },
];

/** A new policy, of the first of these kinds. */
export function newDraft([kind]: readonly PolicyKind[]): Draft {
  if (!kind) throw new Error('there is no kind of policy');
  return { name: '', policyType: kind.policyType, policyData: kind.policyData };
}

/** A stored policy as the editor has it: without fields that only answers have. */
export function draftOf(stored: StoredPolicy): Draft {
  const { name, policyType } = stored;
  const {
    startTimeInEpoch: _,
    durationInMs: __,
    operator: ___,
    ...rest
  } = stored.policyData as Record<string, unknown>;
  const policyData = (policyType === 'WALLET_DEPLOYMENT' ? {} : rest) as PolicyData;
  return { name, policyType, policyData, ...('paymasterIds' in stored && { paymasterIds: stored.paymasterIds }) };
}

/** What can be changed of a draft, field beside field, for what compares them one by one. */
export function fieldsOf({ policyType: _, policyData, ...rest }: Draft) {
  return { ...(policyData as Readonly<Record<string, unknown>>), ...rest };
}

/** The draft of such fields. */
export function draftFrom(policyType: PolicyType, { name, paymasterIds, ...data }: ReturnType<typeof fieldsOf>): Draft {
  return { name, policyType, policyData: data as PolicyData, ...(paymasterIds && { paymasterIds }) };
}
