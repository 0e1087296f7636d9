import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Account } from '../accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import {
  LimitReachedError,
  RoleInUseError,
  RoleNameExistsError,
  RoleNotFoundError,
} from '../../platform/http/dashboard-errors';
import { assertMayGive, RIGHTS, type Right } from '../people/role';
import { RolesRepository, type OwnRole } from '../people/roles.repository';
import type { CreateRoleDto, UpdateRoleDto } from './role.dto';
import { toRoleView, type RoleView } from './role.view';
import { OwnersLock } from './owners-lock';

const MAX_ROLES = 50;
export const TOO_MANY_ROLES = `An account can have at most ${MAX_ROLES} roles of its own`;

/** Roles that an account makes: a name, and what its holders may do. */
@Injectable()
export class RolesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly roles: RolesRepository,
    private readonly lock: OwnersLock,
    private readonly auditLog: AuditLogRepository,
  ) {}

  async list({ id }: Account): Promise<RoleView[]> {
    return (await this.roles.listOf(id)).map(toRoleView);
  }

  /** @throws {NotAllowedError} for rights that the actor has not {@link RoleNameExistsError} {@link LimitReachedError} */
  async create(actor: Actor, { name, rights }: CreateRoleDto): Promise<RoleView> {
    const { accountId } = actor;
    return this.change(actor, async (manager, giver) => {
      if ((await this.roles.listOf(accountId, manager)).length >= MAX_ROLES)
        throw new LimitReachedError(TOO_MANY_ROLES);
      const wish = { id: randomUUID(), accountId, name, rights: inOrder(rights) };
      assertMayGive(giver, { role: wish.id, ...wish });
      const role = await this.roles.insert(manager, wish);
      await this.record(manager, actor, role.id, { before: null, after: toLogged(role) });
      return toRoleView(role);
    });
  }

  /** In force at once for all who have the role. What they offered to others is withdrawn where their rights change. */
  async update(actor: Actor, roleId: string, { name, rights }: UpdateRoleDto): Promise<RoleView> {
    return this.change(actor, async (manager, giver) => {
      const before = await this.get(manager, actor, roleId);
      const after = { ...before, ...(name !== undefined && { name }), ...(rights && { rights: inOrder(rights) }) };
      for (const each of [before, after]) assertMayGive(giver, { role: roleId, ...each });
      if (rights) await this.roles.withdrawOffers(manager, before);
      await this.roles.update(manager, after);
      await this.record(manager, actor, before.id, { before: toLogged(before), after: toLogged(after) });
      return toRoleView(after);
    });
  }

  /** @throws {RoleNotFoundError} {@link RoleInUseError} {@link NotAllowedError} */
  async remove(actor: Actor, roleId: string): Promise<void> {
    await this.change(actor, async (manager, giver) => {
      const role = await this.get(manager, actor, roleId);
      assertMayGive(giver, { role: roleId, ...role });
      if (await this.roles.isInUse(manager, role)) throw new RoleInUseError();
      await this.roles.delete(manager, role.id);
      await this.record(manager, actor, role.id, { before: toLogged(role), after: null });
    });
  }

  private async change<T>(
    actor: Actor,
    write: (manager: EntityManager, giver: Parameters<typeof assertMayGive>[0]) => Promise<T>,
  ): Promise<T> {
    return onUniqueViolation({ roles_name_key: () => new RoleNameExistsError() }, () =>
      this.dataSource.transaction(async (manager) => write(manager, (await this.lock.take(manager, actor)).actor)),
    );
  }

  private async get(manager: EntityManager, { accountId }: Actor, roleId: string): Promise<OwnRole> {
    const role = (await this.roles.listOf(accountId, manager)).find(({ id }) => id === roleId.toLowerCase());
    if (!role) throw new RoleNotFoundError();
    return role;
  }

  private async record(
    manager: EntityManager,
    actor: Actor,
    subjectId: string,
    change: { readonly before: object | null; readonly after: object | null },
  ): Promise<void> {
    await this.auditLog.appendOfAccount(manager, actor, { subject: 'role', subjectId, ...change });
  }
}

const inOrder = (rights: readonly Right[]): Right[] => RIGHTS.filter((each) => rights.includes(each));

function toLogged({ name, rights }: Pick<OwnRole, 'name' | 'rights'>) {
  return { name, rights };
}
