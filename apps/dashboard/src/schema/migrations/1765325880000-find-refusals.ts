import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Refused operations by their reason, newest first; and the token in which a user pays. Processes of the version before
 * neither read nor write the column.
 */
export class FindRefusals1765325880000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX operations_paymaster_id_reason_created_at_id_idx
        ON dashboard.operations (paymaster_id, reason, created_at, id) WHERE reason IS NOT NULL`);
    await runner.query(`ALTER TABLE dashboard.operations ADD COLUMN token TEXT`);
    await runner.query(`
      COMMENT ON COLUMN dashboard.operations.token IS
        'that the user pays in; null: the operation is sponsored, or its gateway did not tell'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.operations DROP COLUMN token`);
    await runner.query(`DROP INDEX dashboard.operations_paymaster_id_reason_created_at_id_idx`);
  }
}
