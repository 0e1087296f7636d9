import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Operations that a gateway sent to a bundler and that are in no block yet, so that another gateway goes on with them
 * when it ends (docs/architecture/ledger.md, "Sent operations"). Gateways of the former version do not use the tables.
 */
export class FollowSentOperations1763857000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE ledger.followers (
        id      uuid PRIMARY KEY,
        seen_at timestamptz NOT NULL
      ) WITH (fillfactor = 50);
      COMMENT ON TABLE ledger.followers IS 'Gateway processes that follow sent operations, and when each was last alive';

      CREATE TABLE ledger.sent_operations (
        chain_id       bigint NOT NULL,
        user_op_hash   text COLLATE "C" NOT NULL,
        paymaster_id   uuid NOT NULL,
        reservation_id bigint,
        follower       uuid NOT NULL,
        bundlers       text[] NOT NULL,
        since_block    bigint NOT NULL,
        valid_until    bigint NOT NULL,
        operation      text,
        ended_at       timestamptz,
        PRIMARY KEY (chain_id, user_op_hash),
        CHECK ((ended_at IS NULL) = (operation IS NOT NULL))
      ) WITH (fillfactor = 80);
      COMMENT ON TABLE ledger.sent_operations IS 'What bundlers took and no block has. Rows of what landed are deleted';
      COMMENT ON COLUMN ledger.sent_operations.reservation_id IS 'Null: it had none when it was sent';
      COMMENT ON COLUMN ledger.sent_operations.follower IS 'The process that sends it again';
      COMMENT ON COLUMN ledger.sent_operations.bundlers IS 'Names of those that took it, in order';
      COMMENT ON COLUMN ledger.sent_operations.operation IS 'JSON of the gateway''s own form; null when it is given up';
      COMMENT ON COLUMN ledger.sent_operations.ended_at IS 'When it was given up: it did not land';
      CREATE INDEX sent_operations_follower ON ledger.sent_operations (follower) WHERE ended_at IS NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE ledger.sent_operations, ledger.followers');
  }
}
