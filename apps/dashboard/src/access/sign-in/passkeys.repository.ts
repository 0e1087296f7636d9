import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';

const COLUMNS = `id, person_id AS "personId", credential_id AS "credentialId", public_key AS "publicKey",
  sign_count::float8 AS "signCount", name, created_at AS "createdAt", last_used_at AS "lastUsedAt"`;

/** A key on a device of a person, with which the person signs in. The private part never leaves the device. */
export interface Passkey {
  readonly id: string;
  readonly personId: string;
  /** How the device names the key; base64url. */
  readonly credentialId: string;
  /** As the device sent it (COSE). */
  readonly publicKey: Buffer;
  /** How often the device says that it used the key; 0 for devices that do not count. */
  readonly signCount: number;
  /** What the person calls the device. */
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The passkeys of people. */
@Injectable()
export class PasskeysRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Of a person, oldest first. */
  async listOf(personId: string, manager: EntityManager = this.dataSource.manager): Promise<Passkey[]> {
    return (await manager.query(
      `SELECT ${COLUMNS} FROM dashboard.passkeys WHERE person_id = $1 ORDER BY created_at, id`,
      [personId],
    )) as Passkey[];
  }

  async find(credentialId: string): Promise<Passkey | null> {
    const rows = (await this.dataSource.query(`SELECT ${COLUMNS} FROM dashboard.passkeys WHERE credential_id = $1`, [
      credentialId,
    ])) as Passkey[];
    return rows[0] ?? null;
  }

  async insert(manager: EntityManager, passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>): Promise<Passkey> {
    const { id, personId, credentialId, publicKey, signCount, name } = passkey;
    const rows = (await manager.query(
      `INSERT INTO dashboard.passkeys (id, person_id, credential_id, public_key, sign_count, name)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`,
      [id, personId, credentialId, publicKey, signCount, name],
    )) as Passkey[];
    return rows[0] as Passkey;
  }

  /**
   * Notes a use.
   *
   * @returns false when the device has counted no further: then a copy of the key may be in use, or the key is gone
   */
  async noteUse(manager: EntityManager, id: string, signCount: number): Promise<boolean> {
    const [, changed] = (await manager.query(
      `UPDATE dashboard.passkeys SET sign_count = $2, last_used_at = now()
        WHERE id = $1 AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0))`,
      [id, signCount],
    )) as [unknown[], number];
    return changed > 0;
  }

  /** @returns the passkey as it is now, or null when the person has none of that id */
  async rename(of: { personId: string; id: string; name: string }): Promise<Passkey | null> {
    if (!isUuid(of.id)) return null;
    const [rows] = (await this.dataSource.query(
      `UPDATE dashboard.passkeys SET name = $3 WHERE person_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [of.personId, of.id, of.name],
    )) as [Passkey[], number];
    return rows[0] ?? null;
  }

  /** @returns those that were */
  async deleteAllOf(manager: EntityManager, personId: string): Promise<Passkey[]> {
    const [rows] = (await manager.query(`DELETE FROM dashboard.passkeys WHERE person_id = $1 RETURNING ${COLUMNS}`, [
      personId,
    ])) as [Passkey[], number];
    return rows;
  }

  /** @returns the passkey that was, or null when the person has none of that id */
  async delete(manager: EntityManager, of: { personId: string; id: string }): Promise<Passkey | null> {
    if (!isUuid(of.id)) return null;
    const [rows] = (await manager.query(
      `DELETE FROM dashboard.passkeys WHERE person_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [of.personId, of.id],
    )) as [Passkey[], number];
    return rows[0] ?? null;
  }
}
