import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether operations with bytes behind the arguments of their call data are sponsored. */
export class AddCallDataSuffix1764806820000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With a default, so that processes of the version before can still insert paymasters during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.paymasters ADD COLUMN settings_allow_call_data_suffix BOOLEAN NOT NULL DEFAULT true`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN settings_allow_call_data_suffix`);
  }
}
