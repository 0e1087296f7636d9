import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Editor } from '../../access/callers/caller';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { entriesOf } from '../../platform/audit/audit-entry';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { RequestNotFoundError } from '../../platform/http/dashboard-errors';
import type { PagePlace } from '../../platform/http/page-cursor';
import type { RequestLogFilter, WholeRequestLogEntry } from './request-log-entry';
import { RequestLogRepository, type RequestLogPage } from './request-log.repository';

/** The request log of a paymaster, as its owner sees it and erases it. */
@Injectable()
export class RequestLogs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly log: RequestLogRepository,
    private readonly auditLog: AuditLogRepository,
  ) {}

  /** A page of it, and how many requests of the last 24 hours there was no room for. */
  async page(
    paymaster: Paymaster,
    filter: RequestLogFilter,
    request: { limit: number; cursor?: PagePlace },
  ): Promise<RequestLogPage & { leftOut: number }> {
    const [page, leftOut] = await Promise.all([
      this.log.page(paymaster, filter, request),
      this.log.leftOutOf(paymaster.id),
    ]);
    return { ...page, leftOut };
  }

  /** @throws {RequestNotFoundError} also for an entry of another paymaster, and for text that is no id */
  async get(paymaster: Paymaster, entryId: string): Promise<WholeRequestLogEntry> {
    const entry = await this.log.find(paymaster, entryId);
    if (!entry) throw new RequestNotFoundError();
    return entry;
  }

  /**
   * Erases every request until now, and those of until now that gateways tell later. The audit log says who did, before
   * it is done.
   */
  async erase({ paymaster: { id, policyVersion }, actor }: Editor): Promise<{ erased: number }> {
    const erased = { before: { requestLogErasedAt: null }, after: { requestLogErasedAt: new Date().toISOString() } };
    await this.dataSource.transaction(async (manager) => {
      const entries = entriesOf(
        [{ subject: 'settings', subjectId: id, ...erased }],
        { paymasterId: id, version: policyVersion },
        actor,
      );
      await this.auditLog.append(manager, entries);
      await this.log.cut(manager, id);
    });
    return { erased: await this.log.deleteCut(id) };
  }
}
