import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CREATE_RESERVE } from './reserve.sql';

/**
 * Adds the time at which settlement last confirmed that a chain's head is still its newest block. It tells a chain that
 * stands still from a settlement that is behind. `ledger.reserve` reads this column, so the function is created again;
 * its former version works with the new table too.
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
    // Without the function no gateway can reserve, until an older version creates its own.
    await queryRunner.query(`
      DROP FUNCTION IF EXISTS ledger.reserve;
      ALTER TABLE ledger.cursors DROP COLUMN checked_at;
    `);
  }
}
