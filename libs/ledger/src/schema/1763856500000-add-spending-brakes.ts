import type { MigrationInterface, QueryRunner } from 'typeorm';
import { CREATE_RESERVE } from './reserve.sql';

/** The functions of the triggers. */
export const COUNT_HOLDS = `
  CREATE OR REPLACE FUNCTION ledger.count_new_holds() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO ledger.brakes AS b (wallet_id, paymaster_id, held_wei, landed_wei)
    SELECT wallet_id, paymaster_id, sum(hold_wei), coalesce(sum(charged_wei) FILTER (WHERE state = 'landed'), 0)
      FROM new_rows WHERE paymaster_id IS NOT NULL AND closed_at IS NULL
     GROUP BY wallet_id, paymaster_id
    ON CONFLICT (wallet_id, paymaster_id) DO UPDATE
       SET held_wei = b.held_wei + excluded.held_wei, landed_wei = b.landed_wei + excluded.landed_wei;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE FUNCTION ledger.count_changed_holds() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE ledger.brakes AS b SET held_wei = b.held_wei + c.held, landed_wei = b.landed_wei + c.landed
      FROM (SELECT wallet_id, paymaster_id, sum(held) AS held, sum(landed) AS landed
              FROM (SELECT wallet_id, paymaster_id, CASE WHEN closed_at IS NULL THEN hold_wei ELSE 0 END AS held,
                           CASE WHEN state = 'landed' THEN charged_wei ELSE 0 END AS landed FROM new_rows
                    UNION ALL
                    SELECT wallet_id, paymaster_id, CASE WHEN closed_at IS NULL THEN -hold_wei ELSE 0 END,
                           CASE WHEN state = 'landed' THEN -charged_wei ELSE 0 END FROM old_rows) AS r
             WHERE paymaster_id IS NOT NULL GROUP BY wallet_id, paymaster_id) AS c
     WHERE b.wallet_id = c.wallet_id AND b.paymaster_id = c.paymaster_id AND (c.held <> 0 OR c.landed <> 0);
    RETURN NULL;
  END $$;`;

/**
 * The spending brake: what a paymaster holds of a wallet, what it lost of it lately, and whether it is stopped.
 *
 * Triggers count what is held. So the count is right also for reservations that a process of the former version writes
 * during a rollout.
 */
export class AddSpendingBrakes1763856500000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE ledger.brakes (
        wallet_id    bigint NOT NULL REFERENCES ledger.wallets,
        paymaster_id uuid NOT NULL,
        held_wei     numeric(78,0) NOT NULL DEFAULT 0 CHECK (held_wei >= 0),
        landed_wei   numeric(78,0) NOT NULL DEFAULT 0 CHECK (landed_wei >= 0),
        released_ms  bigint NOT NULL DEFAULT 0,
        stopped_at   timestamptz,
        PRIMARY KEY (wallet_id, paymaster_id)
      ) WITH (fillfactor = 50);
      COMMENT ON COLUMN ledger.brakes.held_wei IS 'Held by reservations that are not closed; of those that landed too';
      COMMENT ON COLUMN ledger.brakes.landed_wei IS 'Charged by operations that landed and are not final';
      COMMENT ON COLUMN ledger.brakes.released_ms IS 'The newest release by the owner that was heard of; unix milliseconds';
      COMMENT ON COLUMN ledger.brakes.stopped_at IS 'Since when nothing is granted; null: it is';

      CREATE TABLE ledger.losses (
        wallet_id    bigint NOT NULL REFERENCES ledger.wallets,
        paymaster_id uuid NOT NULL,
        minute       bigint NOT NULL,
        lost_wei     numeric(78,0) NOT NULL CHECK (lost_wei >= 0),
        PRIMARY KEY (wallet_id, paymaster_id, minute)
      );
      COMMENT ON TABLE ledger.losses IS 'Charged by operations that landed, per minute of chain time; 0 again when the owner releases the brake';

      ${COUNT_HOLDS}
      CREATE TRIGGER new_holds_are_counted AFTER INSERT ON ledger.reservations
        REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION ledger.count_new_holds();

      CREATE TRIGGER changed_holds_are_counted AFTER UPDATE ON ledger.reservations
        REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION ledger.count_changed_holds();

      INSERT INTO ledger.brakes (wallet_id, paymaster_id, held_wei, landed_wei)
      SELECT wallet_id, paymaster_id, sum(hold_wei), coalesce(sum(charged_wei) FILTER (WHERE state = 'landed'), 0)
        FROM ledger.reservations WHERE paymaster_id IS NOT NULL AND closed_at IS NULL
       GROUP BY wallet_id, paymaster_id;

      -- The new parameters have defaults: a call without them is not checked by the brake.
      DROP FUNCTION IF EXISTS ledger.reserve;
    `);
    await queryRunner.query(CREATE_RESERVE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // Without the function no gateway can reserve, until an older version creates its own.
    await queryRunner.query(`
      DROP FUNCTION ledger.reserve;
      DROP TRIGGER changed_holds_are_counted ON ledger.reservations;
      DROP TRIGGER new_holds_are_counted ON ledger.reservations;
      DROP FUNCTION ledger.count_changed_holds, ledger.count_new_holds;
      DROP TABLE ledger.losses, ledger.brakes;
    `);
  }
}
