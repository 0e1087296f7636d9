import { AUDIT_SUBJECTS, type AuditSubject } from '../../platform/audit/audit-entry';
import type { AuditFilter } from '../../platform/audit/audit-log.repository';
import { UUID } from '../../platform/database/uuid';
import type { PagePlace } from '../../platform/http/page-cursor';
import { Cursor, From, OneOf, periodOf, TextOf, To } from '../../platform/http/query-rules';

const ACTOR = /^([0-9a-f]{8}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/;
const NOT_AN_ACTOR = 'must be a tokenIdPrefix (8 hex digits) or a personId';

/** Which entries of the audit log are wanted. */
export class AuditQuery {
  @TextOf(UUID, 'must be the id of a paymaster') readonly paymasterId?: string;
  @OneOf(AUDIT_SUBJECTS) readonly subject?: AuditSubject;
  @TextOf(ACTOR, NOT_AN_ACTOR, { description: 'A `tokenIdPrefix` or `personId`.' }) readonly actor?: string;
  @From() readonly from?: string;
  @To() readonly to?: string;
  @Cursor(/^\d{1,18}$/) readonly cursor?: PagePlace;
}

/** @throws {InvalidBodyError} when the period is empty */
export function filterOf({ actor, from, to, cursor: after, ...exact }: AuditQuery, accountId: string): AuditFilter {
  const by = actor && (actor.length === 8 ? { tokenIdPrefix: actor } : { personId: actor });
  return { accountId, ...exact, ...by, ...periodOf({ from, to }), after };
}
