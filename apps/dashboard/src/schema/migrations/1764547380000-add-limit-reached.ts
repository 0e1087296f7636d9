import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What clients are told when a spending limit refuses. */
export class AddLimitReached1764547380000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With a default, so that processes of the version before can still insert paymasters during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        ADD COLUMN settings_on_limit_reached TEXT NOT NULL DEFAULT 'refuse'
                   CONSTRAINT paymasters_settings_on_limit_reached_check
                   CHECK (settings_on_limit_reached IN ('refuse', 'erc20'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN settings_on_limit_reached`);
  }
}
