import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts, their tokens, paymasters with settings, smart contracts and funding messages. */
export class CreateDashboardSchema1763683200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.accounts (
        id         UUID PRIMARY KEY,
        name       TEXT NOT NULL CONSTRAINT accounts_name_key UNIQUE,
        created_at TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE dashboard.auth_tokens (
        id         UUID PRIMARY KEY,
        account_id UUID NOT NULL REFERENCES dashboard.accounts (id),
        token_hash TEXT NOT NULL CONSTRAINT auth_tokens_token_hash_key UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
        created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        revoked_at TIMESTAMPTZ
      )`);
    await runner.query(`CREATE INDEX auth_tokens_account_id_idx ON dashboard.auth_tokens (account_id)`);
    await runner.query(`
      CREATE TABLE dashboard.paymasters (
        id                 UUID PRIMARY KEY,
        account_id         UUID NOT NULL REFERENCES dashboard.accounts (id),
        name               TEXT NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
        chain_id           BIGINT NOT NULL CHECK (chain_id > 0),
        type               TEXT NOT NULL CHECK (type = 'HYBRID'),
        paymaster_version  TEXT NOT NULL,
        api_key_index      TEXT NOT NULL CONSTRAINT paymasters_api_key_index_key UNIQUE
                           CHECK (api_key_index ~ '^[0-9a-f]{64}$'),
        api_key_ciphertext TEXT NOT NULL,
        funding_wallet     TEXT CHECK (funding_wallet ~ '^0x[0-9a-f]{40}$'),
        policy_version     BIGINT NOT NULL DEFAULT 1 CHECK (policy_version > 0),
        settings_sponsor_any_contract     BOOLEAN NOT NULL,
        settings_sponsor_native_transfers BOOLEAN NOT NULL,
        settings_sponsor_deployments      TEXT NOT NULL
                                          CHECK (settings_sponsor_deployments IN ('never', 'withCall', 'always')),
        settings_allow_unknown_factories  BOOLEAN NOT NULL,
        settings_require_known_accounts   BOOLEAN NOT NULL,
        settings_on_refusal               TEXT NOT NULL CHECK (settings_on_refusal IN ('error', 'userPays')),
        settings_explain_to_clients       BOOLEAN NOT NULL,
        settings_max_expiry_seconds       INTEGER NOT NULL
                                          CHECK (settings_max_expiry_seconds BETWEEN 120 AND 86400),
        settings_max_operation_cost_wei   NUMERIC(78, 0) CHECK (settings_max_operation_cost_wei >= 0),
        settings_allowed_origins          TEXT[] NOT NULL,
        created_at         TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT paymasters_chain_id_name_key UNIQUE (chain_id, name)
      )`);
    await runner.query(
      `CREATE INDEX paymasters_account_id_created_at_idx ON dashboard.paymasters (account_id, created_at, id)`,
    );
    await runner.query(`
      CREATE TABLE dashboard.smart_contracts (
        id                  UUID PRIMARY KEY,
        paymaster_id        UUID NOT NULL REFERENCES dashboard.paymasters (id),
        name                TEXT NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
        address             TEXT NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$'),
        abi                 TEXT NOT NULL,
        methods             TEXT[] NOT NULL,
        whitelisted_methods TEXT[] NOT NULL,
        selectors           TEXT[] NOT NULL,
        created_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT smart_contracts_paymaster_id_address_key UNIQUE (paymaster_id, address),
        CONSTRAINT smart_contracts_paymaster_id_name_key UNIQUE (paymaster_id, name)
      )`);
    await runner.query(`
      CREATE TABLE dashboard.funding_messages (
        paymaster_id UUID PRIMARY KEY REFERENCES dashboard.paymasters (id),
        message      TEXT NOT NULL,
        issued_at    TIMESTAMPTZ NOT NULL,
        expires_at   TIMESTAMPTZ NOT NULL CHECK (expires_at > issued_at)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.funding_messages`);
    await runner.query(`DROP TABLE dashboard.smart_contracts`);
    await runner.query(`DROP INDEX dashboard.paymasters_account_id_created_at_idx`);
    await runner.query(`DROP TABLE dashboard.paymasters`);
    await runner.query(`DROP INDEX dashboard.auth_tokens_account_id_idx`);
    await runner.query(`DROP TABLE dashboard.auth_tokens`);
    await runner.query(`DROP TABLE dashboard.accounts`);
  }
}
