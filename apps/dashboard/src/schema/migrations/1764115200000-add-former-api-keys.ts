import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps API keys that were replaced for as long as they still work, and lets the audit log have rotations. */
export class AddFormerApiKeys1764115200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.former_api_keys (
        api_key_index      TEXT PRIMARY KEY CHECK (api_key_index ~ '^[0-9a-f]{64}$'),
        paymaster_id       UUID NOT NULL REFERENCES dashboard.paymasters (id),
        api_key_ciphertext TEXT NOT NULL,
        valid_until        TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(`
      CREATE INDEX former_api_keys_paymaster_id_idx ON dashboard.former_api_keys (paymaster_id, valid_until)`);
    await allowAuditSubjects(runner, [...SUBJECTS_BEFORE, 'apiKey']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await allowAuditSubjects(runner, SUBJECTS_BEFORE);
    await runner.query(`DROP TABLE dashboard.former_api_keys`);
  }
}

const SUBJECTS_BEFORE = ['policy', 'settings', 'contract', 'token', 'fundingWallet', 'webhook'];

/** NOT VALID: rows that are there are not checked, so that the table is locked for a moment only. */
async function allowAuditSubjects(runner: QueryRunner, subjects: readonly string[]): Promise<void> {
  await runner.query(`
    ALTER TABLE dashboard.audit_log DROP CONSTRAINT audit_log_subject_check,
      ADD CONSTRAINT audit_log_subject_check
      CHECK (subject IN (${subjects.map((subject) => `'${subject}'`).join(', ')})) NOT VALID`);
}
