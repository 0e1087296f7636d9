import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a sponsorship on EntryPoint v0.9 is signed only when the operation is sent: not before an owner turns it on. */
export class AddSignWhenSent1765066380000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE dashboard.paymasters ADD COLUMN settings_sign_when_sent BOOLEAN NOT NULL DEFAULT false`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN settings_sign_when_sent`);
  }
}
