import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CREATE_RESERVE } from './reserve.sql';

/** Adds caps on the gas cost that operations may fail to pay back in tokens, and a table of those that did not pay. */
export class AddTokenExposure1763856700000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Existing rows satisfy the former rule. They are not checked again, because that would stop reservations meanwhile.
      ALTER TABLE ledger.holds DROP CONSTRAINT holds_unit_check,
        ADD CONSTRAINT holds_unit_check CHECK (unit IN ('wei', 'microUsd', 'count', 'exposureWei')) NOT VALID;

      CREATE TABLE ledger.unpaid_operations (
        reservation_id bigint PRIMARY KEY REFERENCES ledger.reservations,
        chain_id       bigint NOT NULL,
        wallet         ledger.address NOT NULL,
        sender         ledger.address NOT NULL,
        budgets        text[] COLLATE "C",
        is_taken       boolean NOT NULL
      );
      COMMENT ON TABLE ledger.unpaid_operations IS 'Operations in blocks that should have paid in a token and did not';
      COMMENT ON COLUMN ledger.unpaid_operations.budgets IS
        'Keys of what its exposure is spent of; null: the chain does not say which token it was, so of all that it holds';
      COMMENT ON COLUMN ledger.unpaid_operations.is_taken IS
        'Its calls had succeeded: its sender gets no such signature of this wallet again';
      CREATE INDEX unpaid_operations_taken ON ledger.unpaid_operations (chain_id, wallet, sender) WHERE is_taken;
    `);
    await queryRunner.query(CREATE_RESERVE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // The function stays, because it decides requests without an exposure as before.
    await queryRunner.query(`
      DROP TABLE ledger.unpaid_operations;
      UPDATE ledger.holds SET unit = 'wei' WHERE unit = 'exposureWei';
      ALTER TABLE ledger.holds DROP CONSTRAINT holds_unit_check,
        ADD CONSTRAINT holds_unit_check CHECK (unit IN ('wei', 'microUsd', 'count'));
    `);
  }
}
