import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashSecret, SIGN_IN_CODE } from '../../platform/crypto/secret-text';

export const CODE_VALID_MINUTES = 15;

/** One-time codes that sign a person in. Only their hashes are kept. */
@Injectable()
export class SignInCodes {
  constructor(private readonly dataSource: DataSource) {}

  /** A new code for a person; those that were made before go on working. */
  async issue(personId: string): Promise<string> {
    const code = SIGN_IN_CODE.generate();
    await this.dataSource.query(
      `INSERT INTO dashboard.sign_in_codes (code_hash, person_id, expires_at)
       VALUES ($1, $2, now() + $3 * interval '1 minute')`,
      [hashSecret(code), personId, CODE_VALID_MINUTES],
    );
    return code;
  }

  /** Uses a code up. @returns the id of its person; null when it is unknown, used or too old */
  async use(manager: EntityManager, code: string): Promise<string | null> {
    if (!SIGN_IN_CODE.isShaped(code)) return null;
    const [rows] = (await manager.query(
      `DELETE FROM dashboard.sign_in_codes WHERE code_hash = $1 AND expires_at > now() RETURNING person_id AS "personId"`,
      [hashSecret(code)],
    )) as [{ personId: string }[], number];
    return rows[0]?.personId ?? null;
  }
}
