import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Archived paymasters; and archiving and renaming in the audit log. */
export class AddArchive1764806460000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters ADD COLUMN archived_at TIMESTAMPTZ`);
    await allowAuditSubjects(runner, [...BEFORE, 'paymaster']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await allowAuditSubjects(runner, BEFORE);
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN archived_at`);
  }
}

const BEFORE = ['policy', 'settings', 'contract', 'token', 'fundingWallet', 'webhook', 'apiKey'];

/** For new rows: those that are there are not read again, so that the lock is short. */
async function allowAuditSubjects(runner: QueryRunner, subjects: readonly string[]): Promise<void> {
  await runner.query(`
    ALTER TABLE dashboard.audit_log DROP CONSTRAINT audit_log_subject_check,
      ADD CONSTRAINT audit_log_subject_check
      CHECK (subject IN (${subjects.map((subject) => `'${subject}'`).join(', ')})) NOT VALID`);
}
