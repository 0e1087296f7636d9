import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finding operations by what they called and by their ids: exactly, and newest first, without reading others. */
export class FindOperations1764806520000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) {
      await runner.query(`
        CREATE INDEX ${indexOf(column)} ON dashboard.operations (paymaster_id, ${column}, created_at, id)
          WHERE ${column} IS NOT NULL`);
    }
    await runner.query(`
      CREATE TABLE dashboard.operation_targets (
        paymaster_id UUID NOT NULL,
        target       TEXT NOT NULL,
        created_at   TIMESTAMPTZ NOT NULL,
        id           UUID NOT NULL,
        PRIMARY KEY (paymaster_id, target, created_at, id)
      )`);
    await runner.query(`
      COMMENT ON COLUMN dashboard.operation_targets.target IS
        'What the operation called: the contract, the selector, or contract:selector; each once'`);
    await runner.query(`
      CREATE FUNCTION dashboard.keys_of_targets(targets JSON) RETURNS SETOF TEXT LANGUAGE sql IMMUTABLE AS $$
        SELECT DISTINCT key FROM json_array_elements(targets) t,
          LATERAL (VALUES (lower(t->>'to')), (t->>'selector'), (lower(t->>'to') || ':' || (t->>'selector'))) k(key)
         WHERE key IS NOT NULL
      $$`);
    await runner.query(`
      CREATE FUNCTION dashboard.keep_operation_targets() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'UPDATE' AND OLD.created_at = NEW.created_at
           AND OLD.targets::text IS NOT DISTINCT FROM NEW.targets::text THEN RETURN NULL;
        END IF;
        IF TG_OP <> 'INSERT' THEN
          DELETE FROM dashboard.operation_targets
           WHERE paymaster_id = OLD.paymaster_id AND created_at = OLD.created_at AND id = OLD.id
             AND target IN (SELECT dashboard.keys_of_targets(OLD.targets));
        END IF;
        IF TG_OP <> 'DELETE' THEN
          INSERT INTO dashboard.operation_targets (paymaster_id, target, created_at, id)
          SELECT NEW.paymaster_id, key, NEW.created_at, NEW.id FROM dashboard.keys_of_targets(NEW.targets) key;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER operations_keep_targets
        AFTER INSERT OR DELETE OR UPDATE OF targets, created_at ON dashboard.operations
        FOR EACH ROW EXECUTE FUNCTION dashboard.keep_operation_targets()`);
    await runner.query(`
      INSERT INTO dashboard.operation_targets (paymaster_id, target, created_at, id)
      SELECT paymaster_id, key, created_at, id FROM dashboard.operations, dashboard.keys_of_targets(targets) key`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER operations_keep_targets ON dashboard.operations`);
    await runner.query(`DROP FUNCTION dashboard.keep_operation_targets`);
    await runner.query(`DROP FUNCTION dashboard.keys_of_targets`);
    await runner.query(`DROP TABLE dashboard.operation_targets`);
    for (const column of COLUMNS) await runner.query(`DROP INDEX dashboard.${indexOf(column)}`);
  }
}

const COLUMNS = ['request_id', 'user_op_hash', 'transaction_hash', 'policy_id'];

const indexOf = (column: string) => `operations_paymaster_id_${column}_created_at_id_idx`;
