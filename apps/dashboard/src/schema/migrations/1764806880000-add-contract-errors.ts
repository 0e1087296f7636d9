import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The custom errors of registered contracts. Those of older contracts are read when their whitelist is set again. */
export class AddContractErrors1764806880000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With a default, so that processes of the version before can still insert contracts during a rollout.
    await runner.query(`ALTER TABLE dashboard.smart_contracts ADD COLUMN errors JSONB NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.smart_contracts DROP COLUMN errors`);
  }
}
