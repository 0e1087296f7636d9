import { AUDIT_SUBJECTS, type AuditSubject } from '../../platform/audit/audit-entry';
import type { AuditFilter, AuditPlace } from '../../platform/audit/audit-log.repository';
import { isUuid } from '../../platform/database/uuid';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { parseCursor, presentPlace } from '../../platform/http/page-cursor';
import { queryTimes, refuseUnknownQuery } from '../../platform/http/query-rules';

type Query = Readonly<Record<string, unknown>>;

/** The filters of a query, and where its page starts. @throws {InvalidBodyError} naming the parameter */
export function parseAuditQuery(query: Query, accountId: string): AuditFilter {
  refuseUnknownQuery(query, ['paymasterId', 'subject', 'actor', 'from', 'to', 'cursor']);
  const { paymasterId, subject, actor, cursor } = query;
  if (paymasterId !== undefined && !(typeof paymasterId === 'string' && isUuid(paymasterId))) {
    throw new InvalidBodyError('paymasterId must be the id of a paymaster');
  }
  if (subject !== undefined && !AUDIT_SUBJECTS.includes(subject as AuditSubject)) {
    throw new InvalidBodyError(`subject must be one of ${AUDIT_SUBJECTS.join(', ')}`);
  }
  return {
    accountId,
    ...(paymasterId !== undefined && { paymasterId }),
    ...(subject !== undefined && { subject: subject as AuditSubject }),
    ...(actor !== undefined && actorOf(actor)),
    ...queryTimes(query),
    ...(cursor !== undefined && { after: parseCursor(cursor, /^\d{1,18}$/) }),
  };
}

/** Who made the changes: an auth token or a person. @throws {InvalidBodyError} */
function actorOf(actor: unknown): Pick<AuditFilter, 'tokenIdPrefix' | 'personId'> {
  if (typeof actor === 'string' && isUuid(actor)) return { personId: actor };
  if (typeof actor === 'string' && /^[0-9a-f]{8}$/.test(actor)) return { tokenIdPrefix: actor };
  throw new InvalidBodyError('actor must be a tokenIdPrefix (8 hex digits) or a personId');
}

/** A cursor as clients get it: opaque to them. */
export function presentAuditCursor(place: AuditPlace): string {
  return presentPlace(place);
}
