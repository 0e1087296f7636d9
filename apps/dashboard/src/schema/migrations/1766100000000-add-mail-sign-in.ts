import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowAuditSubjects } from './1765370000000-add-passkeys';

/** Mail addresses of people, links to sign in that are sent there for one browser, and how many mails were sent lately. */
export class AddMailSignIn1766100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.people ADD COLUMN mail_address TEXT`);
    await runner.query(`CREATE UNIQUE INDEX people_mail_address_key ON dashboard.people (lower(mail_address))`);
    await runner.query(`
      CREATE TABLE dashboard.mail_confirmations (
        code_hash  TEXT PRIMARY KEY CHECK (code_hash ~ '^[0-9a-f]{64}$'),
        person_id  UUID NOT NULL REFERENCES dashboard.people (id),
        address    TEXT NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(`CREATE INDEX mail_confirmations_person_id_idx ON dashboard.mail_confirmations (person_id)`);
    await runner.query(`
      CREATE TABLE dashboard.sent_mails (
        recipient TEXT NOT NULL CHECK (recipient ~ '^[0-9a-f]{64}$'),
        sender    TEXT NOT NULL,
        sent_at   TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX sent_mails_recipient_idx ON dashboard.sent_mails (recipient, sent_at)`);
    await runner.query(`CREATE INDEX sent_mails_sender_idx ON dashboard.sent_mails (sender, sent_at)`);
    await runner.query(`
      ALTER TABLE dashboard.sign_in_codes ADD COLUMN browser_hash TEXT CHECK (browser_hash ~ '^[0-9a-f]{64}$')`);
    await allowAuditSubjects(runner, (subjects) => [...subjects, 'mailAddress']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.audit_log DISABLE TRIGGER audit_log_is_append_only`);
    await runner.query(`DELETE FROM dashboard.audit_log WHERE subject = 'mailAddress'`);
    await runner.query(`ALTER TABLE dashboard.audit_log ENABLE TRIGGER audit_log_is_append_only`);
    await allowAuditSubjects(runner, (subjects) => subjects.filter((subject) => subject !== 'mailAddress'));
    // Without the column they would sign in any browser.
    await runner.query(`DELETE FROM dashboard.sign_in_codes WHERE browser_hash IS NOT NULL`);
    await runner.query(`ALTER TABLE dashboard.sign_in_codes DROP COLUMN browser_hash`);
    await runner.query(`DROP TABLE dashboard.sent_mails`);
    await runner.query(`DROP TABLE dashboard.mail_confirmations`);
    await runner.query(`ALTER TABLE dashboard.people DROP COLUMN mail_address`);
  }
}
