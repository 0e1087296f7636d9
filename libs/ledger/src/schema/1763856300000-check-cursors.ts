import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CREATE_RESERVE } from './reserve.sql';

/**
 * When settlement last saw that a chain's head is still its newest block: a chain that stands still is not one that
 * settlement has left behind. `ledger.reserve` reads it, so it is made anew; what it was before reads the table as well.
 */
export class CheckCursors1763856300000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE ledger.cursors ADD COLUMN checked_at timestamptz;
      COMMENT ON COLUMN ledger.cursors.checked_at IS 'When the head was last found to be the newest block that anybody names';
    `);
    await queryRunner.query(CREATE_RESERVE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // Without the function no gateway reserves, until an older version makes its own.
    await queryRunner.query(`
      DROP FUNCTION IF EXISTS ledger.reserve;
      ALTER TABLE ledger.cursors DROP COLUMN checked_at;
    `);
  }
}
