import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long a sponsorship holds where the client asks for no time: as long as before, until an owner changes it. */
export class AddDefaultExpiry1765152900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dashboard.paymasters ADD COLUMN settings_default_expiry_seconds INTEGER NOT NULL DEFAULT 300
        CONSTRAINT paymasters_settings_default_expiry_seconds_check
        CHECK (settings_default_expiry_seconds BETWEEN 120 AND 86400)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN settings_default_expiry_seconds`);
  }
}
