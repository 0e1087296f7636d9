import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys on devices of people, with which they sign in; and what became of them in the audit log. */
export class AddPasskeys1765370000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.passkeys (
        id            UUID PRIMARY KEY,
        person_id     UUID NOT NULL REFERENCES dashboard.people (id),
        credential_id TEXT NOT NULL CONSTRAINT passkeys_credential_id_key UNIQUE,
        public_key    BYTEA NOT NULL,
        sign_count    BIGINT NOT NULL,
        name          TEXT NOT NULL,
        created_at    TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_used_at  TIMESTAMPTZ
      )`);
    await runner.query(`CREATE INDEX passkeys_person_id_idx ON dashboard.passkeys (person_id)`);
    await allowAuditSubjects(runner, (subjects) => [...subjects, 'passkey']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.audit_log DISABLE TRIGGER audit_log_is_append_only`);
    await runner.query(`DELETE FROM dashboard.audit_log WHERE subject = 'passkey'`);
    await runner.query(`ALTER TABLE dashboard.audit_log ENABLE TRIGGER audit_log_is_append_only`);
    await allowAuditSubjects(runner, (subjects) => subjects.filter((subject) => subject !== 'passkey'));
    await runner.query(`DROP TABLE dashboard.passkeys`);
  }
}

/** Of those that are allowed now. For new rows: those that are there are not read again, so that the lock is short. */
export async function allowAuditSubjects(
  runner: QueryRunner,
  change: (subjects: readonly string[]) => readonly string[],
): Promise<void> {
  const [{ text }] = (await runner.query(
    `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
      WHERE conname = 'audit_log_subject_check' AND conrelid = 'dashboard.audit_log'::regclass`,
  )) as [{ text: string }];
  const subjects = change([...text.matchAll(/'(\w+)'::text/g)].map(([, subject = '']) => subject));
  await runner.query(`
    ALTER TABLE dashboard.audit_log DROP CONSTRAINT audit_log_subject_check,
      ADD CONSTRAINT audit_log_subject_check
      CHECK (subject IN (${subjects.map((subject) => `'${subject}'`).join(', ')})) NOT VALID`);
}
