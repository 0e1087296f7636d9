import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CREATE_RESERVE } from './reserve.sql';

/** Lets a claim bring the version of its limit, for limits that several paymasters share. */
export class VersionSharedLimits1763856800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // The new parameter has a default, so gateways of the former version go on calling the function.
    await queryRunner.query('DROP FUNCTION IF EXISTS ledger.reserve');
    await queryRunner.query(CREATE_RESERVE);
  }

  async down(): Promise<void> {
    // The function stays, because it decides claims without a version as before.
  }
}
