import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Public keys with which back ends of apps sign session tokens. */
export class AddSessionKeys1764460860000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.session_keys (
        id           UUID PRIMARY KEY,
        paymaster_id UUID NOT NULL REFERENCES dashboard.paymasters (id),
        name         TEXT NOT NULL,
        algorithm    TEXT NOT NULL CHECK (algorithm IN ('EdDSA', 'ES256')),
        spki         TEXT NOT NULL,
        created_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT session_keys_paymaster_id_name_key UNIQUE (paymaster_id, name)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.session_keys`);
  }
}
