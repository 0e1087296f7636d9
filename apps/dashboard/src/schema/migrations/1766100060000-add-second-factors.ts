import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowAuditSubjects } from './1765370000000-add-passkeys';

/** Second factors of people, what each session was opened with, and accounts that ask members for a second factor. */
export class AddSecondFactors1766100060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE dashboard.accounts ADD COLUMN second_factor_required BOOLEAN NOT NULL DEFAULT false`,
    );
    await runner.query(`
      ALTER TABLE dashboard.sessions
        ADD COLUMN proof TEXT NOT NULL DEFAULT 'first' CHECK (proof IN ('first', 'code', 'passkey'))`);
    await runner.query(`
      CREATE TABLE dashboard.second_factors (
        id                UUID PRIMARY KEY,
        person_id         UUID NOT NULL REFERENCES dashboard.people (id),
        secret_ciphertext TEXT NOT NULL,
        created_at        TIMESTAMPTZ NOT NULL DEFAULT now(),
        confirmed_at      TIMESTAMPTZ,
        last_step         BIGINT
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX second_factors_confirmed_key ON dashboard.second_factors (person_id)
       WHERE confirmed_at IS NOT NULL`);
    await runner.query(`
      CREATE UNIQUE INDEX second_factors_new_key ON dashboard.second_factors (person_id) WHERE confirmed_at IS NULL`);
    await runner.query(`
      CREATE TABLE dashboard.recovery_codes (
        code_hash TEXT PRIMARY KEY CHECK (code_hash ~ '^[0-9a-f]{64}$'),
        person_id UUID NOT NULL REFERENCES dashboard.people (id)
      )`);
    await runner.query(`CREATE INDEX recovery_codes_person_id_idx ON dashboard.recovery_codes (person_id)`);
    await runner.query(`
      CREATE TABLE dashboard.second_factor_tries (
        id        UUID PRIMARY KEY,
        person_id UUID NOT NULL REFERENCES dashboard.people (id),
        at        TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(
      `CREATE INDEX second_factor_tries_person_id_idx ON dashboard.second_factor_tries (person_id, at)`,
    );
    await allowAuditSubjects(runner, (subjects) => [...subjects, 'secondFactor']);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Else who waits for a code would be signed in without it.
    await runner.query(`
      DELETE FROM dashboard.sessions WHERE proof = 'first'
         AND person_id IN (SELECT person_id FROM dashboard.second_factors WHERE confirmed_at IS NOT NULL)`);
    await runner.query(`ALTER TABLE dashboard.audit_log DISABLE TRIGGER audit_log_is_append_only`);
    await runner.query(`DELETE FROM dashboard.audit_log WHERE subject = 'secondFactor'`);
    await runner.query(`ALTER TABLE dashboard.audit_log ENABLE TRIGGER audit_log_is_append_only`);
    await allowAuditSubjects(runner, (subjects) => subjects.filter((subject) => subject !== 'secondFactor'));
    for (const table of ['second_factor_tries', 'recovery_codes', 'second_factors'])
      await runner.query(`DROP TABLE dashboard.${table}`);
    await runner.query(`ALTER TABLE dashboard.sessions DROP COLUMN proof`);
    await runner.query(`ALTER TABLE dashboard.accounts DROP COLUMN second_factor_required`);
  }
}
