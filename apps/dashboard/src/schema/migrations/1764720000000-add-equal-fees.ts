import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether operations with equal fees are sponsored; true, as they were before. */
export class AddEqualFees1764720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With a default, so that processes of the version before can still insert paymasters during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.paymasters ADD COLUMN settings_allow_equal_fees BOOLEAN NOT NULL DEFAULT true`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN settings_allow_equal_fees`);
  }
}
