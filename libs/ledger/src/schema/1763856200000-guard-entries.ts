import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Triggers that let entries only be added. Entries may be deleted only if their budget's window has ended and nothing
 * is reserved in it; `sweepBudgets` deletes those. Adding an entry runs no trigger.
 */
export class GuardEntries1763856200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION ledger.refuse_to_rewrite() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$;
      CREATE TRIGGER entries_are_append_only BEFORE UPDATE OR TRUNCATE ON ledger.entries
        FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_to_rewrite();

      CREATE FUNCTION ledger.keep_entry() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM FROM ledger.budgets
          WHERE id = OLD.budget_id AND reserved = 0 AND ends_at < extract(epoch FROM now());
        IF NOT FOUND THEN
          RAISE EXCEPTION 'entry % is kept: its budget''s window has not ended, or it is a wallet''s', OLD.id;
        END IF;
        RETURN OLD;
      END $$;
      CREATE TRIGGER entries_are_kept BEFORE DELETE ON ledger.entries
        FOR EACH ROW EXECUTE FUNCTION ledger.keep_entry();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER entries_are_kept ON ledger.entries;
      DROP FUNCTION ledger.keep_entry();
      DROP TRIGGER entries_are_append_only ON ledger.entries;
      DROP FUNCTION ledger.refuse_to_rewrite();
    `);
  }
}
