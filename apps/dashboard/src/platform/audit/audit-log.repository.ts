import { Injectable } from '@nestjs/common';
import { DataSource, LessThan, type EntityManager } from 'typeorm';
import type { PagePlace } from '../http/page-cursor';
import type { Actor } from './actor';
import {
  entriesOf,
  type AuditEntry,
  type AuditSubject,
  type PaymasterChange,
  type RecordedChange,
} from './audit-entry';
import { AuditEntryEntity } from './audit-entry';

const PAGE_SIZE = 50;
/** Routes show these only to callers who may read people. */
const SUBJECTS_OF_PEOPLE: readonly AuditSubject[] = [
  'account',
  'member',
  'invitation',
  'authToken',
  'passkey',
  'role',
  'mailAddress',
  'secondFactor',
];

export interface HistoryQuery {
  readonly paymasterId: string;
  readonly subject: AuditSubject;
  readonly subjectId: string;
  /** Only changes of lower versions: the last version of the page before. */
  readonly beforeVersion?: number;
}

/** Which entries of an account are wanted; newest first. */
export interface AuditFilter {
  readonly accountId: string;
  readonly paymasterId?: string;
  readonly subject?: AuditSubject;
  readonly tokenIdPrefix?: string;
  readonly personId?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly after?: PagePlace;
}

/** At most 50 entries, and where the next page starts. */
export interface AuditPage {
  readonly entries: readonly (AuditEntry & { readonly id: string })[];
  readonly next: PagePlace | null;
}

/** Who changed what of a paymaster or an account, when. Entries are only ever added. */
@Injectable()
export class AuditLogRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** In the transaction of the change. The database says when. */
  async append(manager: EntityManager, entries: ReadonlyArray<Omit<AuditEntry, 'at'>>): Promise<void> {
    if (entries.length > 0) await manager.getRepository(AuditEntryEntity).insert([...entries]);
  }

  /** A change of the account itself, in its transaction. */
  async appendOfAccount(manager: EntityManager, actor: Actor, change: RecordedChange): Promise<void> {
    await this.append(manager, entriesOf([change], { paymasterId: null, version: null }, actor));
  }

  /** That the caller was shown the API keys of these paymasters. Nothing is changed, so their versions stay. */
  async appendShownKeys(
    actor: Actor,
    paymasters: ReadonlyArray<{ readonly id: string; readonly policyVersion: number }>,
  ): Promise<void> {
    const shown = { before: { shownAt: null }, after: { shownAt: new Date().toISOString() } };
    const entries = paymasters.flatMap(({ id, policyVersion: version }) =>
      entriesOf([{ subject: 'apiKey', subjectId: id, ...shown }], { paymasterId: id, version }, actor),
    );
    await this.append(this.dataSource.manager, entries);
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

  /** What was changed for an account, newest first; at most 50. @param ofPeople also of members, invitations and tokens */
  async page({ after, from, to, ...of }: AuditFilter, { ofPeople }: { ofPeople: boolean }): Promise<AuditPage> {
    const query = this.dataSource
      .getRepository(AuditEntryEntity)
      .createQueryBuilder('entry')
      .addSelect('(extract(epoch FROM entry.at) * 1000000)::bigint', 'at_us')
      .where(of)
      .orderBy('entry.at', 'DESC')
      .addOrderBy('entry.id', 'DESC')
      .limit(PAGE_SIZE + 1);
    if (!ofPeople) query.andWhere('entry.subject NOT IN (:...hidden)', { hidden: SUBJECTS_OF_PEOPLE });
    if (from) query.andWhere('entry.at >= :from', { from });
    if (to) query.andWhere('entry.at < :to', { to });
    if (after) {
      const at = `'epoch'::timestamptz + CAST(:atUs AS bigint) * interval '1 microsecond'`;
      query.andWhere(`(entry.at, entry.id) < (${at}, CAST(:id AS bigint))`, after);
    }
    const { entities, raw } = await query.getRawAndEntities<{ at_us: string }>();
    const last = entities.length > PAGE_SIZE ? entities[PAGE_SIZE - 1] : undefined;
    return {
      entries: entities.slice(0, PAGE_SIZE),
      next: last ? { atUs: raw[PAGE_SIZE - 1]?.at_us ?? '', id: last.id } : null,
    };
  }
}
