import { randomUUID } from 'node:crypto';
import { call, type Answer } from './dashboard-client';
import { only, type Keys } from './fixtures';

/** A policy record as existing API users know it. */
export interface PolicyRecord {
  readonly _id: string;
  readonly name: string;
  readonly policyType: string;
  readonly organisationId: string;
  readonly paymasterId: string;
  readonly createdBy: string;
  readonly chainId: number;
  readonly active: boolean;
  readonly policyData: Readonly<Record<string, unknown>>;
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Ten operations of the paymaster in three hours. */
export const limitBody = () => ({
  name: `limit ${randomUUID()}`,
  policyType: 'PAYMASTER_SA_LIMIT',
  policyData: { type: 'PAYMASTER', cycleDuration: { value: 3, unit: 'hour' }, threshold: 10, thresholdType: 'COUNT' },
});

export interface PolicyCall {
  readonly method: string;
  /** After /paymaster-policy. */
  readonly path?: string;
  readonly body?: unknown;
}

/** Calls the policies of the paymaster that the keys stand for. */
export function callPolicies<T = unknown>(
  keys: Partial<Keys>,
  { method, path = '', body }: PolicyCall,
): Promise<Answer<T>> {
  const { authToken, apiKey } = keys;
  return call<T>({ method, path: `/paymaster-policy${path}`, authToken, apiKey, body });
}

export async function freshPolicy(keys: Keys, body: object = limitBody()): Promise<PolicyRecord> {
  return (await callPolicies<PolicyRecord>(only(keys), { method: 'POST', body })).body.data;
}

export async function listPolicies(keys: Keys): Promise<PolicyRecord[]> {
  return (await callPolicies<PolicyRecord[]>(only(keys), { method: 'GET' })).body.data;
}
