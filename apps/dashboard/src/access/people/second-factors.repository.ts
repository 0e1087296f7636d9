import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashSecret } from '../../platform/crypto/secret-text';
import { isUuid } from '../../platform/database/uuid';

/** How long a new device may take to show its first code. */
const ENROL_WITHIN_MINUTES = 15;
/** Wrong codes of the device of one person, over all sessions and processes. */
const MOST_TRIES = [
  { count: 5, seconds: 15 * 60 },
  { count: 20, seconds: 86_400 },
] as const;

/** A device of a person that shows codes which change with time (TOTP). */
export interface SecondFactor {
  readonly id: string;
  /** Encrypted for the person. */
  readonly secretCiphertext: string;
  /** Null before its first code was shown. */
  readonly confirmedAt: Date | null;
}

const COLUMNS = `id, secret_ciphertext AS "secretCiphertext", confirmed_at AS "confirmedAt"`;

/** Second factors, recovery codes, and how often wrong codes were tried. */
@Injectable()
export class SecondFactorsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The one that the person signs in with. */
  async find(personId: string, manager: EntityManager = this.dataSource.manager): Promise<SecondFactor | null> {
    const rows = (await manager.query(
      `SELECT ${COLUMNS} FROM dashboard.second_factors WHERE person_id = $1 AND confirmed_at IS NOT NULL`,
      [personId],
    )) as SecondFactor[];
    return rows[0] ?? null;
  }

  /** The one that has not shown a code yet, while it may. */
  async findNew(manager: EntityManager, personId: string): Promise<SecondFactor | null> {
    const rows = (await manager.query(
      `SELECT ${COLUMNS} FROM dashboard.second_factors
        WHERE person_id = $1 AND confirmed_at IS NULL AND created_at > now() - $2 * interval '1 minute'`,
      [personId, ENROL_WITHIN_MINUTES],
    )) as SecondFactor[];
    return rows[0] ?? null;
  }

  /** In place of another one that has shown no code. */
  async insertNew(manager: EntityManager, personId: string, secretCiphertext: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.second_factors WHERE person_id = $1 AND confirmed_at IS NULL`, [
      personId,
    ]);
    await manager.query(`INSERT INTO dashboard.second_factors (id, person_id, secret_ciphertext) VALUES ($1, $2, $3)`, [
      randomUUID(),
      personId,
      secretCiphertext,
    ]);
  }

  /** From now on the person signs in with it, and no more with another one. @param step of the code that it showed */
  async confirm(manager: EntityManager, of: { personId: string; id: string; step: number }): Promise<void> {
    await manager.query(`DELETE FROM dashboard.second_factors WHERE person_id = $1 AND id <> $2`, [of.personId, of.id]);
    await manager.query(
      `UPDATE dashboard.second_factors SET confirmed_at = now(), last_step = $3 WHERE person_id = $1 AND id = $2`,
      [of.personId, of.id, of.step],
    );
  }

  /** Spends the codes up to a step. @returns false when the code of the step, or a later one, was spent before */
  async spendStep(manager: EntityManager, id: string, step: number): Promise<boolean> {
    const [, changed] = (await manager.query(
      `UPDATE dashboard.second_factors SET last_step = $2 WHERE id = $1 AND last_step < $2`,
      [id, step],
    )) as [unknown[], number];
    return changed > 0;
  }

  /** With its recovery codes. @returns whether there was a confirmed one */
  async delete(manager: EntityManager, personId: string): Promise<boolean> {
    if (!isUuid(personId)) return false;
    await manager.query(`DELETE FROM dashboard.recovery_codes WHERE person_id = $1`, [personId]);
    const [rows] = (await manager.query(
      `DELETE FROM dashboard.second_factors WHERE person_id = $1 RETURNING confirmed_at AS "confirmedAt"`,
      [personId],
    )) as [Pick<SecondFactor, 'confirmedAt'>[], number];
    return rows.some(({ confirmedAt }) => confirmedAt !== null);
  }

  /** In place of those before. Only hashes are kept. */
  async setRecoveryCodes(manager: EntityManager, personId: string, codes: readonly string[]): Promise<void> {
    await manager.query(`DELETE FROM dashboard.recovery_codes WHERE person_id = $1`, [personId]);
    await manager.query(`INSERT INTO dashboard.recovery_codes (person_id, code_hash) SELECT $1, unnest($2::text[])`, [
      ...[personId, codes.map((code) => hashOf(personId, code))],
    ]);
  }

  /** @returns whether it was one that was not spent before */
  async spendRecoveryCode(manager: EntityManager, personId: string, code: string): Promise<boolean> {
    const [, deleted] = (await manager.query(
      `DELETE FROM dashboard.recovery_codes WHERE person_id = $1 AND code_hash = $2`,
      [personId, hashOf(personId, code)],
    )) as [unknown[], number];
    return deleted > 0;
  }

  async recoveryCodesLeft(personId: string, manager: EntityManager = this.dataSource.manager): Promise<number> {
    const rows = (await manager.query(
      `SELECT count(*)::int AS count FROM dashboard.recovery_codes WHERE person_id = $1`,
      [personId],
    )) as { count: number }[];
    return rows[0]?.count ?? 0;
  }

  /**
   * Counts a try before its code is looked at, so that tries at the same time in many processes are all counted. The
   * person's row has to be locked.
   *
   * @returns the try, or after how many seconds the person may try again
   */
  async beginTry(manager: EntityManager, personId: string): Promise<{ tryId: string } | { waitSeconds: number }> {
    const rows = (await manager.query(
      `SELECT extract(epoch FROM now() - at)::float8 AS age FROM dashboard.second_factor_tries
        WHERE person_id = $1 ORDER BY at DESC LIMIT $2`,
      [personId, MOST_TRIES[1].count],
    )) as { age: number }[];
    const waits = MOST_TRIES.map(({ count, seconds }) => seconds - (rows[count - 1]?.age ?? seconds));
    const waitSeconds = Math.ceil(Math.max(...waits));
    if (waitSeconds > 0) return { waitSeconds };
    const tryId = randomUUID();
    await manager.query(`INSERT INTO dashboard.second_factor_tries (id, person_id) VALUES ($1, $2)`, [tryId, personId]);
    return { tryId };
  }

  /** The code was right, or could not be checked: the try does not count. @param tryId null: there was none to count */
  async forgetTry(manager: EntityManager, tryId: string | null): Promise<void> {
    await manager.query(`DELETE FROM dashboard.second_factor_tries WHERE id = $1`, [tryId]);
  }

  /** @returns how many wrong codes there were in the last day; they count no more */
  async forgetTriesOf(manager: EntityManager, personId: string): Promise<number> {
    const [rows] = (await manager.query(
      `DELETE FROM dashboard.second_factor_tries WHERE person_id = $1 RETURNING at > now() - interval '1 day' AS "isRecent"`,
      [personId],
    )) as [{ isRecent: boolean }[], number];
    return rows.filter(({ isRecent }) => isRecent).length;
  }
}

/** Of the person, so that one guess is not one at the codes of all people. 80 random bits cannot be found by guessing. */
const hashOf = (personId: string, code: string): string => hashSecret(`${personId} ${code}`);
