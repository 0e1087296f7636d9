import { isDeepStrictEqual } from 'node:util';
import type { Actor } from './actor';

/** What changes are recorded of. */
export const AUDIT_SUBJECTS = [
  'policy',
  'settings',
  'contract',
  'token',
  'fundingWallet',
  'webhook',
  'apiKey',
  'account',
  'member',
  'invitation',
  'authToken',
  'paymaster',
] as const;
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number];

export const AUDIT_ACTIONS = ['created', 'updated', 'deleted'] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** One change of what a paymaster sponsors, or of who may act for the account, as it was made. */
export interface AuditEntry {
  /** Null for a change of the account. */
  readonly paymasterId: string | null;
  /** The paymaster's policy version that the change made; null for a change of the account. */
  readonly version: number | null;
  readonly at: Date;
  readonly accountId: string;
  /** The first 8 digits of the token's id: enough to tell an account's tokens apart. Null when no token was used. */
  readonly tokenIdPrefix: string | null;
  /** The member who made the change; null with a token, and for the operator. */
  readonly personId: string | null;
  /** The person who made it as the operator of the installation, on the page. Accounts are not told who that is. */
  readonly operatorId: string | null;
  readonly subject: AuditSubject;
  /**
   * Which of its kind: the policy's or webhook's id, the contract's or token's address, the member's, invitation's or
   * auth token's id; the paymaster's or account's id for its one.
   */
  readonly subjectId: string;
  readonly action: AuditAction;
  /** As REST shows it; null when there was nothing. */
  readonly before: object | null;
  /** As REST shows it; null when nothing is left. */
  readonly after: object | null;
}

/** A change of what a paymaster sponsors: it has a paymaster and a version. */
export type PaymasterChange = AuditEntry & { readonly paymasterId: string; readonly version: number };

/** What a change says of itself; who made it, and when, is added. */
export type RecordedChange = Pick<AuditEntry, 'subject' | 'subjectId' | 'before' | 'after'>;

/**
 * The entries of a change, without those parts that changed nothing.
 *
 * @param place the paymaster and its new version; nulls for a change of the account
 */
export function entriesOf(
  changes: readonly RecordedChange[],
  place: Pick<AuditEntry, 'paymasterId' | 'version'>,
  { accountId, tokenId, personId, operatorId }: Actor,
): Omit<AuditEntry, 'at'>[] {
  const tokenIdPrefix = tokenId?.slice(0, 8) ?? null;
  const by = { accountId, tokenIdPrefix, personId: personId ?? null, operatorId: operatorId ?? null };
  return changes
    .filter(({ before, after }) => !isDeepStrictEqual(before, after))
    .map((each) => ({ ...place, ...by, ...each, action: actionOf(each) }));
}

function actionOf({ before, after }: RecordedChange): AuditAction {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'updated';
}
