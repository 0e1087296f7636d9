import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sponsorship policies, caps on live signatures, and the log of who changed what. */
export class AddPolicies1763856000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With defaults, so that processes of the version before can still insert paymasters during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        ADD COLUMN settings_max_live_signatures_per_sender INTEGER NOT NULL DEFAULT 4
                   CONSTRAINT paymasters_settings_max_live_signatures_per_sender_check
                   CHECK (settings_max_live_signatures_per_sender BETWEEN 1 AND 1000),
        ADD COLUMN settings_max_live_signatures_per_client INTEGER NOT NULL DEFAULT 100
                   CONSTRAINT paymasters_settings_max_live_signatures_per_client_check
                   CHECK (settings_max_live_signatures_per_client BETWEEN 1 AND 1000000),
        ADD COLUMN settings_max_live_signatures_total INTEGER NOT NULL DEFAULT 10000
                   CONSTRAINT paymasters_settings_max_live_signatures_total_check
                   CHECK (settings_max_live_signatures_total BETWEEN 1 AND 1000000),
        ADD COLUMN settings_client_share_percent INTEGER NOT NULL DEFAULT 50
                   CONSTRAINT paymasters_settings_client_share_percent_check
                   CHECK (settings_client_share_percent BETWEEN 1 AND 100)`);
    // JSON and not JSONB: the order of fields is part of what owners see.
    await runner.query(`
      CREATE TABLE dashboard.policies (
        id             UUID PRIMARY KEY,
        creation_order BIGINT GENERATED ALWAYS AS IDENTITY,
        paymaster_id   UUID NOT NULL REFERENCES dashboard.paymasters (id),
        created_by     UUID NOT NULL REFERENCES dashboard.accounts (id),
        name           TEXT NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
        policy_type    TEXT NOT NULL
                       CHECK (policy_type IN ('PAYMASTER_SA_LIMIT', 'WALLET_DEPLOYMENT', 'WEBHOOK', 'RULES')),
        active         BOOLEAN NOT NULL,
        policy_data    JSON NOT NULL CHECK (json_typeof(policy_data) = 'object'),
        created_at     TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(
      `CREATE INDEX policies_paymaster_id_creation_order_idx ON dashboard.policies (paymaster_id, creation_order)`,
    );
    await runner.query(`
      CREATE TABLE dashboard.audit_log (
        id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        paymaster_id    UUID NOT NULL REFERENCES dashboard.paymasters (id),
        version         BIGINT NOT NULL CHECK (version > 0),
        at              TIMESTAMPTZ NOT NULL DEFAULT now(),
        account_id      UUID NOT NULL REFERENCES dashboard.accounts (id),
        token_id_prefix TEXT NOT NULL CHECK (token_id_prefix ~ '^[0-9a-f]{8}$'),
        subject         TEXT NOT NULL CHECK (subject IN ('policy', 'settings', 'contract', 'token', 'fundingWallet')),
        subject_id      TEXT NOT NULL,
        action          TEXT NOT NULL CHECK (action IN ('created', 'updated', 'deleted')),
        before          JSON,
        after           JSON,
        CONSTRAINT audit_log_before_after_check
          CHECK ((before IS NULL) = (action = 'created') AND (after IS NULL) = (action = 'deleted'))
      )`);
    await runner.query(`
      CREATE INDEX audit_log_subject_idx ON dashboard.audit_log (paymaster_id, subject, subject_id, version, id)`);
    await runner.query(`
      CREATE FUNCTION dashboard.refuse_to_rewrite() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$`);
    await runner.query(`
      CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON dashboard.audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION dashboard.refuse_to_rewrite()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.audit_log`);
    await runner.query(`DROP FUNCTION dashboard.refuse_to_rewrite`);
    await runner.query(`DROP TABLE dashboard.policies`);
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        DROP COLUMN settings_client_share_percent,
        DROP COLUMN settings_max_live_signatures_total,
        DROP COLUMN settings_max_live_signatures_per_client,
        DROP COLUMN settings_max_live_signatures_per_sender`);
  }
}
