import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Numbers the changes of policies, so that a gateway can ask what changed since it asked last. A trigger does it, because
 * dashboards of the version before change policies too while they are replaced.
 */
export class NumberPolicyChanges1767500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.policy_change_counter (
        is_only     BOOLEAN PRIMARY KEY DEFAULT true CHECK (is_only),
        last_number BIGINT NOT NULL DEFAULT 0
      ) WITH (fillfactor = 50)`);
    await runner.query(`INSERT INTO dashboard.policy_change_counter DEFAULT VALUES`);
    await runner.query(`
      COMMENT ON TABLE dashboard.policy_change_counter IS
        'Its row is locked until the change commits, so a reader that has seen a number has seen all lower ones'`);
    await runner.query(`
      CREATE TABLE dashboard.policy_changes (
        paymaster_id UUID PRIMARY KEY,
        version      BIGINT NOT NULL,
        number       BIGINT NOT NULL UNIQUE
      )`);
    await runner.query(`COMMENT ON TABLE dashboard.policy_changes IS 'The last change of each paymaster that had any'`);
    await runner.query(`
      CREATE FUNCTION dashboard.number_policy_change() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE next BIGINT;
      BEGIN
        UPDATE dashboard.policy_change_counter SET last_number = last_number + 1 RETURNING last_number INTO next;
        INSERT INTO dashboard.policy_changes AS c VALUES (NEW.id, NEW.policy_version, next)
        ON CONFLICT (paymaster_id) DO UPDATE SET version = excluded.version, number = excluded.number;
        RETURN NULL;
      END $$`);
    // At the commit, so that a change that takes long does not keep other paymasters' changes waiting.
    await runner.query(`
      CREATE CONSTRAINT TRIGGER paymasters_number_policy_change AFTER UPDATE OF policy_version ON dashboard.paymasters
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dashboard.number_policy_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER paymasters_number_policy_change ON dashboard.paymasters`);
    await runner.query(`DROP FUNCTION dashboard.number_policy_change`);
    await runner.query(`DROP TABLE dashboard.policy_changes`);
    await runner.query(`DROP TABLE dashboard.policy_change_counter`);
  }
}
