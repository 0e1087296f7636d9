import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Paymasters that the operator of the installation suspended; and the operator in the audit log. */
export class AddSuspensions1764893220000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        ADD COLUMN suspended_at      TIMESTAMPTZ,
        ADD COLUMN suspension_reason TEXT,
        ADD CONSTRAINT paymasters_suspension_check CHECK ((suspended_at IS NULL) = (suspension_reason IS NULL))`);
    await runner.query(`
      ALTER TABLE dashboard.audit_log
        ADD COLUMN operator_id UUID CONSTRAINT audit_log_operator_id_fkey REFERENCES dashboard.people (id),
        DROP CONSTRAINT audit_log_actor_check,
        ADD CONSTRAINT audit_log_actor_check
          CHECK (num_nonnulls(token_id_prefix, person_id, operator_id) < 2) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dashboard.audit_log
        DROP CONSTRAINT audit_log_actor_check,
        DROP COLUMN operator_id,
        ADD CONSTRAINT audit_log_actor_check CHECK (num_nonnulls(token_id_prefix, person_id) < 2) NOT VALID`);
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        DROP CONSTRAINT paymasters_suspension_check, DROP COLUMN suspension_reason, DROP COLUMN suspended_at`);
  }
}
