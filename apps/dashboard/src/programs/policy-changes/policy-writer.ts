import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountEventsRepository } from '../../platform/account-events/account-events.repository';
import type { Actor } from '../../platform/audit/actor';
import { entriesOf, type RecordedChange } from '../../platform/audit/audit-entry';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
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

/** A write that changes several paymasters of an account. */
export interface SharedWrite {
  readonly manager: EntityManager;
  /** Makes the next version of each, and locks their rows in one order: two such writes never wait for each other. */
  step(paymasterIds: readonly string[]): Promise<void>;
  /** Notes a change in the audit log of each paymaster that makes a step. */
  record(change: RecordedChange): void;
}

export type { RecordedChange };

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
  /** The last write of each paymaster that has one, or of each account, for its shared policies. */
  private readonly lines = new Map<string, Promise<unknown>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly publisher: PolicyChangePublisher,
    private readonly auditLog: AuditLogRepository,
    private readonly accountEvents: AccountEventsRepository,
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

  /**
   * Runs `change` in one transaction with the versions' steps of all paymasters that it names, and broadcasts after the
   * commit. The account's row is locked, so such changes of one account run one after the other.
   */
  async writeShared<T>(actor: Actor, change: (write: SharedWrite) => Promise<T>): Promise<T> {
    const { accountId } = actor;
    const { versions, result } = await this.inLine({ paymasterId: accountId }, () =>
      this.dataSource.transaction(async (manager) => {
        await manager.query('SELECT FROM dashboard.accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
        const versions = new Map<string, number>();
        const changes: RecordedChange[] = [];
        const step = async (paymasterIds: readonly string[]): Promise<void> => {
          for (const id of [...paymasterIds].sort()) versions.set(id, await stepVersion(manager, id));
        };
        const result = await change({ manager, step, record: (each) => changes.push(each) });
        for (const [paymasterId, version] of versions) {
          await this.auditLog.append(manager, entriesOf(changes, { paymasterId, version }, actor));
          await this.accountEvents.appendPolicyChange(manager, { accountId, paymasterId, version });
        }
        return { versions, result };
      }),
    );
    for (const [paymasterId, version] of versions) this.publisher.publish({ paymasterId, version });
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

  private async inLine<T>(
    { paymasterId }: Pick<PolicyWriteTarget, 'paymasterId'>,
    write: () => Promise<T>,
  ): Promise<T> {
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
    await this.auditLog.append(manager, entriesOf(changes, { paymasterId, version }, actor));
    const { accountId } = actor;
    await this.accountEvents.appendPolicyChange(manager, { accountId, paymasterId, version });
    return { version, result };
  }
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
