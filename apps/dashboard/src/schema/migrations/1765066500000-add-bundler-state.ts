import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a bundler did with an operation. Processes of the version before neither read nor write it. */
export class AddBundlerState1765066500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.operations ADD COLUMN bundler JSONB`);
    await runner.query(`
      COMMENT ON COLUMN dashboard.operations.bundler IS
        'state, name, message, userOpHash, atMs of the newest event; null: the gateway sent it to none'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.operations DROP COLUMN bundler`);
  }
}
