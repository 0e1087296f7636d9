import { Injectable } from '@nestjs/common';
import { Column, CreateDateColumn, DataSource, Entity, PrimaryColumn, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import { fixedRole, type Right, type Role, type RoleGrant } from './role';

/** A role that an account made. */
@Entity({ name: 'roles' })
export class OwnRole {
  @PrimaryColumn('uuid') readonly id!: string;
  @Column('uuid', { name: 'account_id' }) readonly accountId!: string;
  @Column('text') readonly name!: string;
  @Column('text', { array: true }) readonly rights!: readonly Right[];
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) readonly createdAt!: Date;
}

/** Roles that accounts made. */
@Injectable()
export class RolesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Of an account, by name. */
  async listOf(accountId: string, manager: EntityManager = this.dataSource.manager): Promise<OwnRole[]> {
    return manager.find(OwnRole, { where: { accountId }, order: { name: 'ASC', id: 'ASC' } });
  }

  /** A fixed role, or one of the account; null when there is none. */
  async grantOf(manager: EntityManager, accountId: string, role: Role): Promise<RoleGrant | null> {
    const fixed = fixedRole(role);
    if (fixed) return fixed;
    const own = (await this.listOf(accountId, manager)).find(({ id }) => id === role.toLowerCase());
    return own ? { role: own.id, roleName: own.name, rights: own.rights } : null;
  }

  async insert(manager: EntityManager, role: Omit<OwnRole, 'createdAt'>): Promise<OwnRole> {
    const row = manager.create(OwnRole, role);
    await manager.insert(OwnRole, row);
    return row;
  }

  async update(manager: EntityManager, { id, name, rights }: Pick<OwnRole, 'id' | 'name' | 'rights'>): Promise<void> {
    await manager.update(OwnRole, { id }, { name, rights });
  }

  /** @returns whether a member has the role, or an open invitation offers it */
  async isInUse(manager: EntityManager, { id, accountId }: Pick<OwnRole, 'id' | 'accountId'>): Promise<boolean> {
    const rows = (await manager.query(
      `SELECT FROM dashboard.members WHERE account_id = $1 AND role_id = $2
       UNION ALL SELECT FROM dashboard.invitations WHERE account_id = $1 AND role_id = $2 AND expires_at > now() LIMIT 1`,
      [accountId, id],
    )) as unknown[];
    return rows.length > 0;
  }

  /** What holders of the role offered is withdrawn: they may be able to offer less from now on. */
  async withdrawOffers(manager: EntityManager, { id, accountId }: Pick<OwnRole, 'id' | 'accountId'>): Promise<void> {
    await manager.query(
      `DELETE FROM dashboard.invitations WHERE account_id = $1 AND created_by IN
         (SELECT person_id FROM dashboard.members WHERE account_id = $1 AND role_id = $2)`,
      [accountId, id],
    );
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    if (isUuid(id)) await manager.delete(OwnRole, { id });
  }
}
