import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Account } from '../accounts/account';
import { parseAccountName } from '../accounts/account-name';
import { AccountsRepository } from '../accounts/accounts.repository';
import type { Actor } from '../audit/actor';
import { AuditLogRepository } from '../audit/audit-log.repository';
import { PeopleRepository } from './people.repository';
import type { Member, Person } from './person';
import type { Role } from './role';

/** Members of accounts as they come, change and go; each change is in the audit log. */
@Injectable()
export class Memberships {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(PeopleRepository) private readonly people: PeopleRepository,
    @Inject(AuditLogRepository) private readonly auditLog: AuditLogRepository,
  ) {}

  /** The account's row is locked until the transaction ends, so that members of one account change one by one. */
  async add(manager: EntityManager, actor: Actor, { personId, role }: { personId: string; role: Role }): Promise<void> {
    const { accountId } = actor;
    await this.accounts.lock(manager, accountId);
    await this.people.addMember(manager, { accountId, personId, role });
    const { name } = await this.people.get(manager, personId);
    await this.record(manager, actor, { personId, before: null, after: { name, role } });
  }

  async setRole(manager: EntityManager, actor: Actor, member: Member, role: Role): Promise<void> {
    const { personId, name } = member;
    await this.people.setRole(manager, { accountId: actor.accountId, personId, role });
    await this.record(manager, actor, { personId, before: { name, role: member.role }, after: { name, role } });
  }

  async remove(manager: EntityManager, actor: Actor, { personId, name, role }: Member): Promise<void> {
    await this.people.removeMember(manager, { accountId: actor.accountId, personId });
    await this.record(manager, actor, { personId, before: { name, role }, after: null });
  }

  /**
   * The account's member of that name, for the operator's command; made when there is none.
   *
   * @param role of a new member, owner by default; given for an old one, it becomes the role
   * @throws saying what is wrong with the name
   */
  async findOrAdd(
    account: Pick<Account, 'id'>,
    wish: { name: string; role?: Role | undefined; isOperator: boolean },
  ): Promise<Pick<Person, 'id' | 'name'> & { role: Role }> {
    const name = parseAccountName(wish.name);
    const actor = { accountId: account.id };
    return this.dataSource.transaction(async (manager) => {
      await this.accounts.lock(manager, account.id);
      // Not one with a wallet: people name themselves, and could take the name of whom the operator means.
      const known = (await this.people.membersOf(account.id, manager)).find(
        (member) => member.name === name && member.walletAddress === null,
      );
      const role = wish.role ?? known?.role ?? 'owner';
      const id = known?.personId ?? randomUUID();
      if (!known) {
        await this.people.insert(manager, { id, name, walletAddress: null, walletChainId: null, isOperator: false });
        await this.add(manager, actor, { personId: id, role });
      } else if (known.role !== role) await this.setRole(manager, actor, known, role);
      if (wish.isOperator) await this.people.makeOperator(manager, id);
      return { id, name, role };
    });
  }

  private async record(
    manager: EntityManager,
    actor: Actor,
    { personId, ...change }: { personId: string; before: object | null; after: object | null },
  ): Promise<void> {
    await this.auditLog.appendOfAccount(manager, actor, { subject: 'member', subjectId: personId, ...change });
  }
}
