import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether clients may name policies of another vendor. */
export class AddIgnoredPolicyIds1764979860000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With a default, so that processes of the version before can still insert paymasters during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.paymasters ADD COLUMN settings_ignore_foreign_policy_ids BOOLEAN NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN settings_ignore_foreign_policy_ids`);
  }
}
