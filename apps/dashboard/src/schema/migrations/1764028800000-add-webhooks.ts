import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks, the versions of their derived secrets, and what was delivered. */
export class AddWebhooks1764028800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.webhooks (
        id                UUID PRIMARY KEY,
        creation_order    BIGINT GENERATED ALWAYS AS IDENTITY,
        paymaster_id      UUID NOT NULL REFERENCES dashboard.paymasters (id),
        url               TEXT NOT NULL,
        request_type      TEXT NOT NULL CHECK (request_type IN ('GET', 'POST')),
        active            BOOLEAN NOT NULL,
        events            TEXT[] NOT NULL,
        low_balance_hours INTEGER CHECK (low_balance_hours BETWEEN 1 AND 8760),
        told_low_at       TIMESTAMPTZ,
        created_at        TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX webhooks_paymaster_id_idx ON dashboard.webhooks (paymaster_id, creation_order)`);
    await runner.query(`
      CREATE TABLE dashboard.webhook_secrets (
        webhook_id           UUID PRIMARY KEY,
        version              INTEGER NOT NULL CHECK (version > 1),
        previous_valid_until TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(`
      COMMENT ON TABLE dashboard.webhook_secrets IS 'Of webhooks and WEBHOOK policies that were rotated; version 1 has no row'`);
    await runner.query(`
      CREATE TABLE dashboard.webhook_deliveries (
        id              UUID PRIMARY KEY DEFAULT gen_random_uuid(),
        webhook_id      UUID NOT NULL REFERENCES dashboard.webhooks (id) ON DELETE CASCADE,
        event_id        UUID NOT NULL,
        type            TEXT NOT NULL,
        body            TEXT NOT NULL,
        status          TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
        attempts        INTEGER NOT NULL DEFAULT 0,
        next_attempt_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_status     INTEGER,
        last_answer     TEXT,
        last_problem    TEXT,
        created_at      TIMESTAMPTZ NOT NULL DEFAULT now(),
        ended_at        TIMESTAMPTZ,
        UNIQUE (webhook_id, event_id)
      )`);
    await runner.query(`
      CREATE INDEX webhook_deliveries_due_idx ON dashboard.webhook_deliveries (webhook_id, next_attempt_at)
        WHERE status = 'pending'`);
    await runner.query(`
      CREATE INDEX webhook_deliveries_log_idx ON dashboard.webhook_deliveries (webhook_id, created_at, id)`);
    await runner.query(`
      ALTER TABLE dashboard.audit_log DROP CONSTRAINT audit_log_subject_check,
        ADD CONSTRAINT audit_log_subject_check
        CHECK (subject IN ('policy', 'settings', 'contract', 'token', 'fundingWallet', 'webhook')) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['webhook_deliveries', 'webhook_secrets', 'webhooks']) {
      await runner.query(`DROP TABLE dashboard.${table}`);
    }
  }
}
