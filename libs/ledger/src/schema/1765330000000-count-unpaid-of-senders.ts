import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CREATE_RESERVE } from './reserve.sql';

/**
 * Counts in a sender's exposure cap only what is known to be unpaid, and in caps on live signatures nothing that the
 * gateway has seen land; lifts these caps while settlement is late.
 */
export class CountUnpaidOfSenders1765330000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // The new parameters have defaults, so gateways of the former version go on calling the function.
    await queryRunner.query('DROP FUNCTION IF EXISTS ledger.reserve_for_clients');
    await queryRunner.query(CREATE_RESERVE);
  }

  async down(): Promise<void> {
    // The function stays, because gateways of the former version call it in the same way.
  }
}
