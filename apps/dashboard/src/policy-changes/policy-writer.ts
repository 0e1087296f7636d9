import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Actor } from '../audit/actor';
import type { AuditEntry } from '../audit/audit-entry';
import { AuditLogRepository } from '../audit/audit-log.repository';
import { PolicyChangePublisher } from './policy-change.publisher';

/** Whose policy is written, and by whom. */
export interface PolicyWriteTarget {
  readonly paymasterId: string;
  readonly actor: Actor;
}

/** A write that is going on. */
export interface PolicyWrite {
  readonly manager: EntityManager;
  /** The version that the write makes. */
  readonly version: number;
  /** Notes a change for the audit log; one that changes nothing is not noted. */
  record(change: RecordedChange): void;
}

export type RecordedChange = Pick<AuditEntry, 'subject' | 'subjectId' | 'before' | 'after'>;

/** Ends a rehearsal: its transaction is rolled back by it. */
class RehearsalDone<T> extends Error {
  constructor(readonly result: T) {
    super('a rehearsal is over');
  }
}

/**
 * The only way to write what a policy snapshot shows: the version grows with the write, the audit log says what was
 * changed, and the gateways are told.
 */
@Injectable()
export class PolicyWriter {
  /** The last write of each paymaster that has one. */
  private readonly lines = new Map<string, Promise<unknown>>();

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(PolicyChangePublisher) private readonly publisher: PolicyChangePublisher,
    @Inject(AuditLogRepository) private readonly auditLog: AuditLogRepository,
  ) {}

  /**
   * Runs `change` in one transaction with the version's step, and broadcasts after the commit. The step locks the
   * paymaster's row, so changes of one paymaster run one after the other. They wait for one another before they take a
   * connection: else who sends many of them would keep all connections from others.
   */
  async write<T>(target: PolicyWriteTarget, change: (write: PolicyWrite) => Promise<T>): Promise<T> {
    const { version, result } = await this.inLine(target, () =>
      this.dataSource.transaction((manager) => this.run(manager, target, change)),
    );
    this.publisher.publish({ paymasterId: target.paymasterId, version });
    return result;
  }

  /** Does all that {@link write} does, and takes it back: what it returns or throws is what the write would. */
  async rehearse<T>(target: PolicyWriteTarget, change: (write: PolicyWrite) => Promise<T>): Promise<T> {
    try {
      return await this.inLine(target, () =>
        this.dataSource.transaction(async (manager) => {
          const { result } = await this.run(manager, target, change);
          throw new RehearsalDone(result);
        }),
      );
    } catch (error) {
      if (error instanceof RehearsalDone) return error.result as T;
      throw error;
    }
  }

  private async inLine<T>({ paymasterId }: PolicyWriteTarget, write: () => Promise<T>): Promise<T> {
    const before = this.lines.get(paymasterId);
    const own = before ? before.then(write, write) : write();
    this.lines.set(paymasterId, own);
    try {
      return await own;
    } finally {
      if (this.lines.get(paymasterId) === own) this.lines.delete(paymasterId);
    }
  }

  private async run<T>(
    manager: EntityManager,
    { paymasterId, actor }: PolicyWriteTarget,
    change: (write: PolicyWrite) => Promise<T>,
  ): Promise<{ version: number; result: T }> {
    const version = await stepVersion(manager, paymasterId);
    const changes: RecordedChange[] = [];
    const result = await change({ manager, version, record: (each) => changes.push(each) });
    const by = { paymasterId, version, accountId: actor.accountId, tokenIdPrefix: actor.tokenId.slice(0, 8) };
    const entries = changes
      .filter(({ before, after }) => !isDeepStrictEqual(before, after))
      .map((each) => ({ ...by, ...each, action: actionOf(each) }));
    await this.auditLog.append(manager, entries);
    return { version, result };
  }
}

function actionOf({ before, after }: RecordedChange): AuditEntry['action'] {
  if (before === null) return 'created';
  return after === null ? 'deleted' : 'updated';
}

async function stepVersion(manager: EntityManager, paymasterId: string): Promise<number> {
  const [rows] = (await manager.query(
    `UPDATE dashboard.paymasters SET policy_version = policy_version + 1 WHERE id = $1 RETURNING policy_version`,
    [paymasterId],
  )) as [Array<{ policy_version: string }>, number];
  const [row] = rows;
  if (!row) throw new Error(`the paymaster ${paymasterId} is gone`);
  return Number(row.policy_version);
}
