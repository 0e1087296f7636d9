import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Policies of an account that several of its paymasters share. */
export class AddSharedPolicies1764633660000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.shared_policies (
        id             UUID PRIMARY KEY,
        creation_order BIGINT GENERATED ALWAYS AS IDENTITY,
        account_id     UUID NOT NULL REFERENCES dashboard.accounts (id),
        name           TEXT NOT NULL,
        active         BOOLEAN NOT NULL,
        policy_type    TEXT NOT NULL CHECK (policy_type IN ('SPENDING_LIMITS', 'RULES')),
        policy_data    JSON NOT NULL,
        version        BIGINT NOT NULL CHECK (version > 0),
        created_at     TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      COMMENT ON COLUMN dashboard.shared_policies.version IS 'Grows with each change; the ledger compares limits by it'`);
    await runner.query(`CREATE INDEX shared_policies_account_id_idx ON dashboard.shared_policies (account_id)`);
    await runner.query(`
      CREATE TABLE dashboard.shared_policy_paymasters (
        shared_policy_id UUID NOT NULL REFERENCES dashboard.shared_policies (id) ON DELETE CASCADE,
        paymaster_id     UUID NOT NULL REFERENCES dashboard.paymasters (id),
        PRIMARY KEY (paymaster_id, shared_policy_id)
      )`);
    await runner.query(`
      CREATE INDEX shared_policy_paymasters_shared_policy_id_idx
        ON dashboard.shared_policy_paymasters (shared_policy_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.shared_policy_paymasters`);
    await runner.query(`DROP TABLE dashboard.shared_policies`);
  }
}
