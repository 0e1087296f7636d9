import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is told what about a paymaster, what they were told, and what is still so. */
export class AddAlerts1765360000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.alerts (
        id               UUID PRIMARY KEY,
        creation_order   BIGINT GENERATED ALWAYS AS IDENTITY,
        paymaster_id     UUID NOT NULL REFERENCES dashboard.paymasters (id),
        name             TEXT NOT NULL,
        kind             TEXT NOT NULL CHECK (kind IN ('MAIL', 'SLACK', 'DISCORD', 'TELEGRAM', 'WEBHOOK')),
        ciphertext       TEXT NOT NULL,
        shown            TEXT NOT NULL,
        active           BOOLEAN NOT NULL,
        about            TEXT[] NOT NULL CHECK (cardinality(about) > 0),
        wallet_below_wei NUMERIC(78,0) CHECK (wallet_below_wei > 0),
        limit_percents   INTEGER[] NOT NULL,
        quiet_hours      JSONB,
        version          BIGINT NOT NULL CHECK (version > 0)
      )`);
    await runner.query(`CREATE INDEX alerts_paymaster_id_idx ON dashboard.alerts (paymaster_id, creation_order)`);
    await runner.query(`
      CREATE TABLE dashboard.alert_states (
        alert_id UUID NOT NULL REFERENCES dashboard.alerts (id) ON DELETE CASCADE,
        subject  TEXT NOT NULL,
        level    INTEGER NOT NULL,
        since    TIMESTAMPTZ NOT NULL DEFAULT now(),
        PRIMARY KEY (alert_id, subject)
      )`);
    await runner.query(`
      CREATE TABLE dashboard.alert_deliveries (
        id              UUID PRIMARY KEY DEFAULT gen_random_uuid(),
        alert_id        UUID NOT NULL REFERENCES dashboard.alerts (id) ON DELETE CASCADE,
        event_id        UUID NOT NULL,
        subject         TEXT NOT NULL,
        type            TEXT NOT NULL,
        body            TEXT NOT NULL,
        status          TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
        attempts        INTEGER NOT NULL DEFAULT 0,
        next_attempt_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_status     INTEGER,
        last_answer     TEXT,
        last_problem    TEXT,
        created_at      TIMESTAMPTZ NOT NULL DEFAULT now(),
        ended_at        TIMESTAMPTZ
      )`);
    await runner.query(`
      CREATE INDEX alert_deliveries_due_idx ON dashboard.alert_deliveries (alert_id, next_attempt_at)
        WHERE status = 'pending'`);
    await runner.query(`
      CREATE INDEX alert_deliveries_log_idx ON dashboard.alert_deliveries (alert_id, created_at, id)`);
    await runner.query(`
      CREATE TABLE dashboard.alert_looks (
        paymaster_id UUID PRIMARY KEY REFERENCES dashboard.paymasters (id),
        next_look_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        tests        INTEGER NOT NULL DEFAULT 0,
        tests_since  TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX alert_looks_next_look_at_idx ON dashboard.alert_looks (next_look_at)`);
    await runner.query(`
      COMMENT ON TABLE dashboard.alert_looks IS 'The lease of the process that looks at a paymaster, and how often its alerts were tried'`);
    await allowAuditSubjects(runner, [...BEFORE, 'alert']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await allowAuditSubjects(runner, BEFORE);
    for (const table of ['alert_looks', 'alert_deliveries', 'alert_states', 'alerts']) {
      await runner.query(`DROP TABLE dashboard.${table}`);
    }
  }
}

const BEFORE = [
  ...['policy', 'settings', 'contract', 'token', 'fundingWallet', 'webhook', 'apiKey', 'paymaster'],
  ...['account', 'member', 'invitation', 'authToken', 'operator'],
];

/** For new rows: those that are there are not read again, so that the lock is short. */
async function allowAuditSubjects(runner: QueryRunner, subjects: readonly string[]): Promise<void> {
  await runner.query(`
    ALTER TABLE dashboard.audit_log DROP CONSTRAINT audit_log_subject_check,
      ADD CONSTRAINT audit_log_subject_check
      CHECK (subject IN (${subjects.map((subject) => `'${subject}'`).join(', ')})) NOT VALID`);
}
