import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CREATE_RESERVE } from './reserve.sql';

/** Makes a reservation cheaper: the function looks at no claim by itself where budgets have room for all of a batch. */
export class LightenReservations1766600000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(CREATE_RESERVE);
  }

  /** The function stays, because gateways of the former version call it in the same way. */
  async down(): Promise<void> {}
}
