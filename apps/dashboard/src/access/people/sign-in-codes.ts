import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashSecret, SIGN_IN_CODE } from '../../platform/crypto/secret-text';

export const CODE_VALID_MINUTES = 15;

/** One-time codes that sign a person in. Only their hashes are kept. */
@Injectable()
export class SignInCodes {
  constructor(private readonly dataSource: DataSource) {}

  /** A new code for a person, good in any browser; those that were made before go on working. */
  async issue(personId: string): Promise<string> {
    const code = SIGN_IN_CODE.generate();
    await this.dataSource.query(
      `INSERT INTO dashboard.sign_in_codes (code_hash, person_id, expires_at)
       VALUES ($1, $2, now() + $3 * interval '1 minute')`,
      [hashSecret(code), personId, CODE_VALID_MINUTES],
    );
    return code;
  }

  /**
   * A new code for the person who has confirmed the address, in any case of its letters. A change of the address at the
   * same moment comes before, or ends the code ({@link endMailed}).
   *
   * @param browser the secret of the one browser that the code signs in
   * @returns null when nobody has confirmed the address
   */
  async issueMailed(address: string, browser: string): Promise<{ code: string; address: string } | null> {
    const code = SIGN_IN_CODE.generate();
    const rows = (await this.dataSource.query(
      `WITH owner AS (SELECT id, mail_address FROM dashboard.people WHERE lower(mail_address) = lower($1) FOR SHARE),
            made AS (INSERT INTO dashboard.sign_in_codes (code_hash, person_id, expires_at, browser_hash)
                     SELECT $2, id, now() + $3 * interval '1 minute', $4 FROM owner)
       SELECT mail_address AS address FROM owner`,
      [address, hashSecret(code), CODE_VALID_MINUTES, hashSecret(browser)],
    )) as { address: string }[];
    return rows[0] ? { code, address: rows[0].address } : null;
  }

  /**
   * Uses a code up.
   *
   * @param browser the secret of the browser that shows the code; empty when it has none
   * @returns the id of its person; null when it is unknown, used, too old or of another browser, which does not use it up
   */
  async use(manager: EntityManager, code: string, browser: string): Promise<string | null> {
    if (!SIGN_IN_CODE.isShaped(code)) return null;
    const [rows] = (await manager.query(
      `DELETE FROM dashboard.sign_in_codes
        WHERE code_hash = $1 AND expires_at > now() AND (browser_hash IS NULL OR browser_hash = $2)
       RETURNING person_id AS "personId"`,
      [hashSecret(code), hashSecret(browser)],
    )) as [{ personId: string }[], number];
    return rows[0]?.personId ?? null;
  }

  /** Ends the codes that were mailed to a person, which are those of one browser. */
  async endMailed(manager: EntityManager, personId: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.sign_in_codes WHERE person_id = $1 AND browser_hash IS NOT NULL`, [
      personId,
    ]);
  }
}
