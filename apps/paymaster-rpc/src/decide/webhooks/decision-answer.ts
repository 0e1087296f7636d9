import type { WebhookAnswer } from '@paymaster/webhooks';

/** The decision of the owner's server: yes, no, or undefined if the answer is not understood. */
export type Decision = 'verified' | 'refused' | 'notUnderstood';

/**
 * Reads an answer of a decision webhook. Only a 200 with JSON and a boolean decides. `"true"`, 1 or an empty body are
 * not a decision, and without a decision the operation is refused.
 */
export function readDecision({ status, body }: WebhookAnswer): Decision {
  if (status !== 200) return 'notUnderstood';
  const answer = parse(body);
  if (typeof answer !== 'object' || answer === null) return 'notUnderstood';
  // The hosted service's documentation had the second spelling for a while, and owners copied it into their servers.
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
