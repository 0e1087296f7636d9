import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log of an account, newest first, whole and by each of its filters. */
export class ListAuditLog1764806580000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX audit_log_account_id_at_id_idx ON dashboard.audit_log (account_id, at, id)`);
    for (const column of FILTERS) {
      await runner.query(`CREATE INDEX ${indexOf(column)} ON dashboard.audit_log (account_id, ${column}, at, id)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of FILTERS) await runner.query(`DROP INDEX dashboard.${indexOf(column)}`);
    await runner.query(`DROP INDEX dashboard.audit_log_account_id_at_id_idx`);
  }
}

const FILTERS = ['paymaster_id', 'subject', 'token_id_prefix'];

const indexOf = (column: string) => `audit_log_account_id_${column}_at_id_idx`;
