import type { WebhookAnswer } from '@paymaster/webhooks';

/** What the owner's server said: yes, no, or nothing that can be understood. */
export type Decision = 'verified' | 'refused' | 'notUnderstood';

/**
 * Reads an answer of a decision webhook. Only a 200 with JSON and a boolean decides: `"true"`, 1 and an empty body are
 * no decision, and no decision is a refusal.
 */
export function readDecision({ status, body }: WebhookAnswer): Decision {
  if (status !== 200) return 'notUnderstood';
  const answer = parse(body);
  if (typeof answer !== 'object' || answer === null) return 'notUnderstood';
  // Documentation of the hosted service had the second spelling for a while, and receivers copied it.
  const { arePoliciesVerified, arePoliciesVerifed } = answer as Record<string, unknown>;
  const verified = arePoliciesVerified ?? arePoliciesVerifed;
  if (typeof verified !== 'boolean') return 'notUnderstood';
  return verified ? 'verified' : 'refused';
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
