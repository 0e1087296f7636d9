import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { LastOwnerError, MemberNotFoundError, RoleNotFoundError } from '../../platform/http/dashboard-errors';
import { Memberships } from '../people/memberships';
import { PeopleRepository } from '../people/people.repository';
import type { Member } from '../people/person';
import { assertMayGive, type Role } from '../people/role';
import { RolesRepository } from '../people/roles.repository';
import { toMemberView, type MemberView } from './member.view';
import { OwnersLock } from './owners-lock';

/** Who may act for an account, and as what. */
@Injectable()
export class MembersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lock: OwnersLock,
    private readonly people: PeopleRepository,
    private readonly memberships: Memberships,
    private readonly roles: RolesRepository,
  ) {}

  async list(account: Account): Promise<MemberView[]> {
    return (await this.people.membersOf(account.id)).map(toMemberView);
  }

  /** @throws {MemberNotFoundError} {@link RoleNotFoundError} {@link LastOwnerError} {@link NotAllowedError} */
  async setRole(actor: Actor, personId: string, role: Role): Promise<MemberView> {
    return this.dataSource.transaction(async (manager) => {
      const { member, giver } = await this.memberToChange(manager, actor, { personId, keepsOwner: role === 'owner' });
      const grant = await this.roles.grantOf(manager, actor.accountId, role);
      if (!grant) throw new RoleNotFoundError();
      assertMayGive(giver, grant);
      await this.memberships.setRole(manager, actor, member, grant.role);
      return toMemberView({ ...member, ...grant });
    });
  }

  /** Auth tokens that the member made stay. @throws {MemberNotFoundError} {@link LastOwnerError} {@link NotAllowedError} */
  async remove(actor: Actor, personId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const { member } = await this.memberToChange(manager, actor, { personId, keepsOwner: false });
      await this.memberships.remove(manager, actor, member);
    });
  }

  /** The member, under the lock of the account, so that of two last owners who leave at once one stays. */
  private async memberToChange(
    manager: EntityManager,
    actor: Actor,
    { personId, keepsOwner }: { personId: string; keepsOwner: boolean },
  ): Promise<{ member: Member; giver: Member }> {
    const { members, actor: giver } = await this.lock.take(manager, actor);
    const member = members.find((each) => each.personId === personId.toLowerCase());
    if (!member) throw new MemberNotFoundError();
    const owners = members.filter(({ role }) => role === 'owner');
    if (!keepsOwner && owners.length === 1 && member.role === 'owner') throw new LastOwnerError();
    assertMayGive(giver, member);
    return { member, giver };
  }
}
