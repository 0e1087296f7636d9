import { Inject, Injectable } from '@nestjs/common';
import { DataSource, LessThan, type EntityManager } from 'typeorm';
import type { Actor } from './actor';
import {
  entriesOf,
  type AuditEntry,
  type AuditSubject,
  type PaymasterChange,
  type RecordedChange,
} from './audit-entry';
import { AuditEntryEntity } from './audit-entry.entity.db';

const PAGE_SIZE = 50;

export interface HistoryQuery {
  readonly paymasterId: string;
  readonly subject: AuditSubject;
  readonly subjectId: string;
  /** Only changes of lower versions: the last version of the page before. */
  readonly beforeVersion?: number;
}

/** Who changed what of a paymaster or an account, when. Entries are only ever added. */
@Injectable()
export class AuditLogRepository {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** In the transaction of the change. The database says when. */
  async append(manager: EntityManager, entries: ReadonlyArray<Omit<AuditEntry, 'at'>>): Promise<void> {
    if (entries.length > 0) await manager.getRepository(AuditEntryEntity).insert([...entries]);
  }

  /** A change of the account itself, in its transaction. */
  async appendOfAccount(manager: EntityManager, actor: Actor, change: RecordedChange): Promise<void> {
    await this.append(manager, entriesOf([change], { paymasterId: null, version: null }, actor));
  }

  /** The changes of one thing of a paymaster, newest first; at most 50. */
  async historyOf({ beforeVersion, ...of }: HistoryQuery): Promise<PaymasterChange[]> {
    const entries = await this.dataSource.getRepository(AuditEntryEntity).find({
      where: { ...of, ...(beforeVersion !== undefined && { version: LessThan(beforeVersion) }) },
      order: { version: 'DESC', id: 'DESC' },
      take: PAGE_SIZE,
    });
    return entries as PaymasterChange[];
  }
}
