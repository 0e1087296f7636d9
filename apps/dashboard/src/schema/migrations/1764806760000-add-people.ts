import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People, their sessions and roles; invitations; names, scopes and ends of auth tokens; and all of it in the audit log. */
export class AddPeople1764806760000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.people (
        id             UUID PRIMARY KEY,
        name           TEXT NOT NULL,
        wallet_address TEXT CHECK (wallet_address ~ '^0x[0-9a-f]{40}$'),
        -- Of a wallet that is a contract: another contract may have its address on another chain.
        wallet_chain   BIGINT,
        is_operator    BOOLEAN NOT NULL DEFAULT false,
        created_at     TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX people_wallet_key ON dashboard.people (wallet_address, COALESCE(wallet_chain, 0))`,
    );
    await runner.query(`
      CREATE TABLE dashboard.members (
        account_id UUID NOT NULL REFERENCES dashboard.accounts (id),
        person_id  UUID NOT NULL REFERENCES dashboard.people (id),
        role       TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'viewer', 'support')),
        joined_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT members_pkey PRIMARY KEY (account_id, person_id)
      )`);
    await runner.query(`CREATE INDEX members_person_id_idx ON dashboard.members (person_id)`);
    await runner.query(`
      CREATE TABLE dashboard.sessions (
        id           UUID PRIMARY KEY,
        person_id    UUID NOT NULL REFERENCES dashboard.people (id),
        token_hash   TEXT NOT NULL CONSTRAINT sessions_token_hash_key UNIQUE CHECK (token_hash ~ '^[0-9a-f]{64}$'),
        browser      TEXT NOT NULL,
        created_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_used_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        expires_at   TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(`CREATE INDEX sessions_person_id_idx ON dashboard.sessions (person_id)`);
    await runner.query(`
      CREATE TABLE dashboard.sign_in_codes (
        code_hash  TEXT PRIMARY KEY CHECK (code_hash ~ '^[0-9a-f]{64}$'),
        person_id  UUID NOT NULL REFERENCES dashboard.people (id),
        expires_at TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE dashboard.used_nonces (
        nonce      TEXT PRIMARY KEY,
        expires_at TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE dashboard.invitations (
        id         UUID PRIMARY KEY,
        account_id UUID NOT NULL REFERENCES dashboard.accounts (id),
        role       TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'viewer', 'support')),
        name       TEXT,
        created_by UUID NOT NULL REFERENCES dashboard.people (id),
        code_hash  TEXT NOT NULL CONSTRAINT invitations_code_hash_key UNIQUE CHECK (code_hash ~ '^[0-9a-f]{64}$'),
        created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        expires_at TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(`CREATE INDEX invitations_account_id_idx ON dashboard.invitations (account_id)`);
    // With defaults, so that commands of the version before can still insert tokens during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.auth_tokens
        ADD COLUMN name         TEXT NOT NULL DEFAULT 'auth token',
        ADD COLUMN scope        TEXT NOT NULL DEFAULT 'write' CONSTRAINT auth_tokens_scope_check
                                CHECK (scope IN ('read', 'write')),
        ADD COLUMN paymaster_id UUID CONSTRAINT auth_tokens_paymaster_id_fkey REFERENCES dashboard.paymasters (id),
        ADD COLUMN expires_at   TIMESTAMPTZ,
        ADD COLUMN last_used_at TIMESTAMPTZ,
        ADD COLUMN created_by   UUID CONSTRAINT auth_tokens_created_by_fkey REFERENCES dashboard.people (id)`);
    await runner.query(`UPDATE dashboard.auth_tokens SET name = 'auth token ' || left(id::text, 8)`);
    // What was changed of an account has no paymaster and no version. Commands of the operator have no person, no token.
    await runner.query(`
      ALTER TABLE dashboard.audit_log
        ALTER COLUMN paymaster_id DROP NOT NULL,
        ALTER COLUMN version DROP NOT NULL,
        ALTER COLUMN token_id_prefix DROP NOT NULL,
        ADD COLUMN person_id UUID CONSTRAINT audit_log_person_id_fkey REFERENCES dashboard.people (id),
        ADD CONSTRAINT audit_log_place_check
          CHECK ((paymaster_id IS NULL) = (version IS NULL)) NOT VALID,
        ADD CONSTRAINT audit_log_actor_check
          CHECK (num_nonnulls(token_id_prefix, person_id) < 2) NOT VALID`);
    await allowAuditSubjects(runner, [...BEFORE, 'account', 'member', 'invitation', 'authToken']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await allowAuditSubjects(runner, BEFORE);
    // Entries of an account alone have no place in the table of the version before.
    await runner.query(`ALTER TABLE dashboard.audit_log DISABLE TRIGGER audit_log_is_append_only`);
    await runner.query(`DELETE FROM dashboard.audit_log WHERE paymaster_id IS NULL`);
    await runner.query(`UPDATE dashboard.audit_log SET token_id_prefix = '00000000' WHERE token_id_prefix IS NULL`);
    await runner.query(`ALTER TABLE dashboard.audit_log ENABLE TRIGGER audit_log_is_append_only`);
    await runner.query(`
      ALTER TABLE dashboard.audit_log
        DROP CONSTRAINT audit_log_actor_check,
        DROP CONSTRAINT audit_log_place_check,
        DROP COLUMN person_id,
        ALTER COLUMN token_id_prefix SET NOT NULL,
        ALTER COLUMN version SET NOT NULL,
        ALTER COLUMN paymaster_id SET NOT NULL`);
    await runner.query(`
      ALTER TABLE dashboard.auth_tokens
        DROP COLUMN created_by, DROP COLUMN last_used_at, DROP COLUMN expires_at, DROP COLUMN paymaster_id,
        DROP COLUMN scope, DROP COLUMN name`);
    for (const table of ['invitations', 'used_nonces', 'sign_in_codes', 'sessions', 'members', 'people'])
      await runner.query(`DROP TABLE dashboard.${table}`);
  }
}

const BEFORE = ['policy', 'settings', 'contract', 'token', 'fundingWallet', 'webhook', 'apiKey', 'paymaster'];

/** For new rows: those that are there are not read again, so that the lock is short. */
async function allowAuditSubjects(runner: QueryRunner, subjects: readonly string[]): Promise<void> {
  await runner.query(`
    ALTER TABLE dashboard.audit_log DROP CONSTRAINT audit_log_subject_check,
      ADD CONSTRAINT audit_log_subject_check
      CHECK (subject IN (${subjects.map((subject) => `'${subject}'`).join(', ')})) NOT VALID`);
}
