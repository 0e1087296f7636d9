import { Inject, Injectable } from '@nestjs/common';
import { DataSource, LessThan, type EntityManager } from 'typeorm';
import type { AuditEntry, AuditSubject } from './audit-entry';
import { AuditEntryEntity } from './audit-entry.entity.db';

const PAGE_SIZE = 50;

export interface HistoryQuery {
  readonly paymasterId: string;
  readonly subject: AuditSubject;
  readonly subjectId: string;
  /** Only changes of lower versions: the last version of the page before. */
  readonly beforeVersion?: number;
}

/** Who changed what of a paymaster, when. Entries are only ever added. */
@Injectable()
export class AuditLogRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** In the transaction of the change. The database says when. */
  async append(manager: EntityManager, entries: ReadonlyArray<Omit<AuditEntry, 'at'>>): Promise<void> {
    if (entries.length > 0) await manager.getRepository(AuditEntryEntity).insert([...entries]);
  }

  /** The changes of one thing, newest first; at most 50. */
  async historyOf({ beforeVersion, ...of }: HistoryQuery): Promise<AuditEntry[]> {
    return this.dataSource.getRepository(AuditEntryEntity).find({
      where: { ...of, ...(beforeVersion !== undefined && { version: LessThan(beforeVersion) }) },
      order: { version: 'DESC', id: 'DESC' },
      take: PAGE_SIZE,
    });
  }
}
