/** What changes are recorded of. */
export const AUDIT_SUBJECTS = [
  'policy',
  'settings',
  'contract',
  'token',
  'fundingWallet',
  'webhook',
  'apiKey',
  'paymaster',
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

export const AUDIT_ACTIONS = ['created', 'updated', 'deleted'] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** One change of what a paymaster sponsors, as it was made. */
export interface AuditEntry {
  readonly paymasterId: string;
  /** The paymaster's policy version that the change made. */
  readonly version: number;
  readonly at: Date;
  readonly accountId: string;
  /** The first 8 digits of the token's id: enough to tell an account's tokens apart. */
  readonly tokenIdPrefix: string;
  readonly subject: AuditSubject;
  /** Which of its kind: the policy's or webhook's id, the contract's or token's address; the paymaster's id for its one. */
  readonly subjectId: string;
  readonly action: AuditAction;
  /** As REST shows it; null when there was nothing. */
  readonly before: object | null;
  /** As REST shows it; null when nothing is left. */
  readonly after: object | null;
}
