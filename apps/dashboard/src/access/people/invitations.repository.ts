import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashSecret, INVITATION_CODE } from '../../platform/crypto/secret-text';
import { isUuid } from '../../platform/database/uuid';
import type { Role } from './role';

const COLUMNS = `id, account_id AS "accountId", role, name, created_at AS "createdAt", expires_at AS "expiresAt"`;
const IS_OPEN = 'expires_at > now()';

/** An offer of an account to become its member; the person who shows its code takes it, once. */
export interface Invitation {
  readonly id: string;
  readonly accountId: string;
  readonly role: Role;
  /** What the owner calls the person who is invited. */
  readonly name: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Invitations that are open. One that was accepted, withdrawn or is too old is gone. */
@Injectable()
export class InvitationsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Open invitations of an account, oldest first. */
  async listOf(accountId: string, manager: EntityManager = this.dataSource.manager): Promise<Invitation[]> {
    return (await manager.query(
      `SELECT ${COLUMNS} FROM dashboard.invitations WHERE account_id = $1 AND ${IS_OPEN} ORDER BY created_at, id`,
      [accountId],
    )) as Invitation[];
  }

  /** @param days after which it can no longer be accepted */
  async insert(
    manager: EntityManager,
    invitation: Pick<Invitation, 'id' | 'accountId' | 'role' | 'name'> & {
      readonly createdBy: string;
      readonly code: string;
      readonly days: number;
    },
  ): Promise<Invitation> {
    const { id, accountId, role, name, createdBy, code, days } = invitation;
    const rows = (await manager.query(
      `INSERT INTO dashboard.invitations (id, account_id, role, name, created_by, code_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 day') RETURNING ${COLUMNS}`,
      [id, accountId, role, name, createdBy, hashSecret(code), days],
    )) as Invitation[];
    return rows[0] as Invitation;
  }

  /** Takes the open invitation of a code away. @returns it, or null when there is none; of two at once one gets it */
  async take(manager: EntityManager, code: string): Promise<Invitation | null> {
    if (!INVITATION_CODE.isShaped(code)) return null;
    const [rows] = (await manager.query(
      `DELETE FROM dashboard.invitations WHERE code_hash = $1 AND ${IS_OPEN} RETURNING ${COLUMNS}`,
      [hashSecret(code)],
    )) as [Invitation[], number];
    return rows[0] ?? null;
  }

  /** Withdraws what a person offered in the name of an account, who may offer nothing there any more. */
  async deleteThoseOf(manager: EntityManager, of: { accountId: string; personId: string }): Promise<void> {
    await manager.query(`DELETE FROM dashboard.invitations WHERE account_id = $1 AND created_by = $2`, [
      ...[of.accountId, of.personId],
    ]);
  }

  /** Withdraws an open invitation of the account. @returns it, or null when there is none */
  async delete(manager: EntityManager, accountId: string, id: string): Promise<Invitation | null> {
    if (!isUuid(id)) return null;
    const [rows] = (await manager.query(
      `DELETE FROM dashboard.invitations WHERE account_id = $1 AND id = $2 AND ${IS_OPEN} RETURNING ${COLUMNS}`,
      [accountId, id],
    )) as [Invitation[], number];
    return rows[0] ?? null;
  }
}
