import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which addresses the owner named as his servers. */
export class AddServers1764979800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With a default, so that processes of the version before can still insert paymasters during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.paymasters ADD COLUMN settings_servers TEXT[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN settings_servers`);
  }
}
