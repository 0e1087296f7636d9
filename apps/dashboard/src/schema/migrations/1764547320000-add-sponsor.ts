import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whom wallets name as the one who pays. */
export class AddSponsor1764547320000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A name of 60 characters that have many marks each, and a data URI.
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        ADD COLUMN settings_sponsor_name TEXT
                   CONSTRAINT paymasters_settings_sponsor_name_check
                   CHECK (char_length(settings_sponsor_name) BETWEEN 1 AND 1000),
        ADD COLUMN settings_sponsor_icon TEXT
                   CONSTRAINT paymasters_settings_sponsor_icon_check
                   CHECK (settings_sponsor_icon ~ '^data:image/(png|jpeg|gif|webp);base64,'
                          AND char_length(settings_sponsor_icon) <= 8192)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        DROP COLUMN settings_sponsor_icon,
        DROP COLUMN settings_sponsor_name`);
  }
}
