import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The paymasters of an account that belong together, usually one app on several chains. */
export class AddProjects1765390000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters ADD COLUMN project TEXT`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN project`);
  }
}
