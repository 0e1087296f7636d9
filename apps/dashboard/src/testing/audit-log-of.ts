import type { AuditEntry } from '../platform/audit/audit-entry';
import { AuditEntryEntity } from '../platform/audit/audit-entry';
import { databaseOf, type DashboardUnderTest } from './dashboard-under-test';

/** What was changed of a paymaster, oldest first. */
export function auditLogOf(dashboard: DashboardUnderTest, paymasterId: string): Promise<AuditEntry[]> {
  return databaseOf(dashboard)
    .getRepository(AuditEntryEntity)
    .find({ where: { paymasterId }, order: { id: 'ASC' } });
}
