import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The setting of the spending brake, when the owner released it, and whom it stopped. */
export class AddSpendingBrake1764201600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With defaults, so that processes of the version before can still insert paymasters during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        ADD COLUMN settings_spending_brake BOOLEAN NOT NULL DEFAULT true,
        ADD COLUMN settings_brake_released_ms BIGINT NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE dashboard.wallet_stops (
        paymaster_id   UUID NOT NULL,
        contract       TEXT NOT NULL,
        funding_wallet TEXT NOT NULL,
        released_ms    BIGINT NOT NULL,
        stopped_at     TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (paymaster_id, contract, funding_wallet)
      )`);
    await runner.query(`
      COMMENT ON COLUMN dashboard.wallet_stops.released_ms IS 'Which release was in force; a later one ended the stop'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.wallet_stops`);
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        DROP COLUMN settings_brake_released_ms,
        DROP COLUMN settings_spending_brake`);
  }
}
