import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the time at which a withdrawal request is due, once settlement has read it from the chain. Some time after it
 * the request is void.
 */
export class AddRequestDueDates1763856600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE ledger.wallets ADD COLUMN request_due_at bigint;
      COMMENT ON COLUMN ledger.wallets.request_due_at IS
        'Unix time; null: nobody has asked yet. May be of an earlier request, so it is asked again before it counts';
      CREATE INDEX wallets_requested ON ledger.wallets (chain_id, contract, request_due_at) WHERE requested_wei > 0;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX ledger.wallets_requested;
      ALTER TABLE ledger.wallets DROP COLUMN request_due_at;
    `);
  }
}
