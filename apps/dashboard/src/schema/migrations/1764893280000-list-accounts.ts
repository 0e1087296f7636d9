import type { MigrationInterface, QueryRunner } from 'typeorm';

/** All accounts, newest first, for the operator. */
export class ListAccounts1764893280000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX accounts_created_at_id_idx ON dashboard.accounts (created_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX dashboard.accounts_created_at_id_idx`);
  }
}
