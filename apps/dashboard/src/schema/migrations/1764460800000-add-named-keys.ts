import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys beside a paymaster's own one, each with what it may do; their texts lie apart, because a key may have several. */
export class AddNamedKeys1764460800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.named_keys (
        id           UUID PRIMARY KEY,
        paymaster_id UUID NOT NULL REFERENCES dashboard.paymasters (id),
        name         TEXT NOT NULL,
        kind         TEXT NOT NULL CHECK (kind IN ('SECRET', 'PUBLISHABLE')),
        terms        JSON NOT NULL,
        expires_at   TIMESTAMPTZ,
        created_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_used_at TIMESTAMPTZ,
        CONSTRAINT named_keys_paymaster_id_name_key UNIQUE (paymaster_id, name)
      )`);
    await runner.query(`
      CREATE TABLE dashboard.named_key_texts (
        api_key_index      TEXT PRIMARY KEY CHECK (api_key_index ~ '^[0-9a-f]{64}$'),
        key_id             UUID NOT NULL REFERENCES dashboard.named_keys (id) ON DELETE CASCADE,
        paymaster_id       UUID NOT NULL REFERENCES dashboard.paymasters (id),
        api_key_ciphertext TEXT NOT NULL,
        valid_until        TIMESTAMPTZ
      )`);
    await runner.query(`
      COMMENT ON COLUMN dashboard.named_key_texts.valid_until IS 'Of a text that was replaced; the current one has none'`);
    await runner.query(`
      CREATE UNIQUE INDEX named_key_texts_current_idx ON dashboard.named_key_texts (key_id) WHERE valid_until IS NULL`);
    await runner.query(`
      CREATE INDEX named_key_texts_paymaster_id_idx ON dashboard.named_key_texts (paymaster_id, key_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.named_key_texts`);
    await runner.query(`DROP TABLE dashboard.named_keys`);
  }
}
