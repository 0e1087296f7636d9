import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Account } from '../accounts/account';
import { parseAccountName } from '../accounts/account-name';
import { AccountsRepository } from '../accounts/accounts.repository';
import type { Actor } from '../../platform/audit/actor';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { InvitationsRepository } from './invitations.repository';
import { Operators } from './operators';
import { PeopleRepository } from './people.repository';
import { RolesRepository } from './roles.repository';
import type { Member, Person } from './person';
import type { Role } from './role';

/** Members of accounts as they come, change and go; each change is in the audit log. */
@Injectable()
export class Memberships {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accounts: AccountsRepository,
    private readonly people: PeopleRepository,
    private readonly invitations: InvitationsRepository,
    private readonly auditLog: AuditLogRepository,
    private readonly operators: Operators,
    private readonly roles: RolesRepository,
  ) {}

  /** The account's row is locked until the transaction ends, so that members of one account change one by one. */
  async add(manager: EntityManager, actor: Actor, of: { personId: string; role: Role }): Promise<void> {
    const { accountId } = actor;
    const { personId, role } = of;
    await this.accounts.lock(manager, accountId);
    await this.people.addMember(manager, { accountId, personId, role });
    const { name } = await this.people.get(manager, personId);
    const shown = await this.nameOf(manager, accountId, role);
    await this.record(manager, actor, { personId, before: null, after: { name, role: shown } });
  }

  async setRole(manager: EntityManager, actor: Actor, member: Member, role: Role): Promise<void> {
    const { personId, name, roleName } = member;
    await this.people.setRole(manager, { accountId: actor.accountId, personId, role });
    if (role !== 'owner') await this.withdrawOffersOf(manager, actor, personId);
    const shown = await this.nameOf(manager, actor.accountId, role);
    await this.record(manager, actor, { personId, before: { name, role: roleName }, after: { name, role: shown } });
  }

  async remove(manager: EntityManager, actor: Actor, { personId, name, roleName: role }: Member): Promise<void> {
    await this.people.removeMember(manager, { accountId: actor.accountId, personId });
    await this.withdrawOffersOf(manager, actor, personId);
    await this.record(manager, actor, { personId, before: { name, role }, after: null });
  }

  /**
   * A member of the account as the operator's command names one: by id, or by the name under which the command made the
   * member, who is made when there is none.
   *
   * @param wish.name counts only without `personId`
   * @param wish.role of a new member, owner by default; of another only with `personId`, and so is `isOperator`, because
   *   the operator may think of another person by that name
   * @throws saying what is wrong with the name, or what has to be done by id
   */
  async findOrAdd(
    account: Pick<Account, 'id'>,
    wish: {
      readonly name: string;
      readonly personId?: string | undefined;
      readonly role?: Role | undefined;
      readonly isOperator: boolean;
    },
  ): Promise<Pick<Person, 'id' | 'name'> & { role: Role }> {
    return this.dataSource.transaction(async (manager) => {
      await this.accounts.lock(manager, account.id);
      return wish.personId === undefined
        ? this.findOrAddByName(manager, account, wish)
        : this.findById(manager, account, { ...wish, personId: wish.personId });
    });
  }

  private async findById(
    manager: EntityManager,
    { id: accountId }: Pick<Account, 'id'>,
    { personId, role, isOperator }: { personId: string; role?: Role | undefined; isOperator: boolean },
  ) {
    const members = await this.people.membersOf(accountId, manager);
    const member = members.find((each) => each.personId === personId.toLowerCase());
    if (!member) throw new Error(`The account ${accountId} has no member ${personId}.`);
    if (role && role !== member.role) await this.setRole(manager, { accountId }, member, role);
    if (isOperator) await this.operators.add(manager, member.personId);
    return { id: member.personId, name: member.name, role: role ?? member.role };
  }

  private async findOrAddByName(
    manager: EntityManager,
    { id: accountId }: Pick<Account, 'id'>,
    { role, isOperator, ...wish }: { name: string; role?: Role | undefined; isOperator: boolean },
  ) {
    const name = parseAccountName(wish.name);
    const member = await this.people.memberMadeAs(manager, accountId, name);
    if (!member) {
      const person = { id: randomUUID(), name, role: role ?? 'owner' };
      await this.people.insert(manager, { ...person, walletAddress: null, walletChainId: null, isOperator: false });
      if (isOperator) await this.operators.add(manager, person.id);
      await this.add(manager, { accountId }, { personId: person.id, role: person.role });
      return person;
    }
    const { personId: id } = member;
    const isGiven =
      (role ?? member.role) === member.role && (!isOperator || (await this.people.get(manager, id)).isOperator);
    if (isGiven) return { id, name: member.name, role: member.role };
    throw new Error(
      `${name} is the member ${id} already, with the role ${member.role}. ` +
        `To change what that member may do, name the member by --person-id.`,
    );
  }

  private async nameOf(manager: EntityManager, accountId: string, role: Role): Promise<string> {
    return (await this.roles.grantOf(manager, accountId, role))?.roleName ?? role;
  }

  /** Else a person who is no owner any more could become one again by an invitation of his own. */
  private async withdrawOffersOf(manager: EntityManager, { accountId }: Actor, personId: string): Promise<void> {
    await this.invitations.deleteThoseOf(manager, { accountId, personId });
  }

  private async record(
    manager: EntityManager,
    actor: Actor,
    { personId, ...change }: { personId: string; before: object | null; after: object | null },
  ): Promise<void> {
    await this.auditLog.appendOfAccount(manager, actor, { subject: 'member', subjectId: personId, ...change });
  }
}
