import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who operates the installation, in the audit log: entries of no account. */
export class LogOperators1764893340000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dashboard.audit_log
        ALTER COLUMN account_id DROP NOT NULL,
        ADD CONSTRAINT audit_log_account_check CHECK ((account_id IS NULL) = (subject = 'operator')) NOT VALID`);
    await allowAuditSubjects(runner, [...BEFORE, 'operator']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.audit_log DISABLE TRIGGER audit_log_is_append_only`);
    await runner.query(`DELETE FROM dashboard.audit_log WHERE subject = 'operator'`);
    await runner.query(`ALTER TABLE dashboard.audit_log ENABLE TRIGGER audit_log_is_append_only`);
    await allowAuditSubjects(runner, BEFORE);
    await runner.query(`
      ALTER TABLE dashboard.audit_log DROP CONSTRAINT audit_log_account_check, ALTER COLUMN account_id SET NOT NULL`);
  }
}

const BEFORE = [
  ...['policy', 'settings', 'contract', 'token', 'fundingWallet', 'webhook', 'apiKey', 'paymaster'],
  ...['account', 'member', 'invitation', 'authToken'],
];

/** For new rows: those that are there are not read again, so that the lock is short. */
async function allowAuditSubjects(runner: QueryRunner, subjects: readonly string[]): Promise<void> {
  await runner.query(`
    ALTER TABLE dashboard.audit_log DROP CONSTRAINT audit_log_subject_check,
      ADD CONSTRAINT audit_log_subject_check
      CHECK (subject IN (${subjects.map((subject) => `'${subject}'`).join(', ')})) NOT VALID`);
}
