import type { MigrationInterface, QueryRunner } from 'typeorm';
import { allowAuditSubjects } from './1765370000000-add-passkeys';

const FIXED = `role IN ('owner', 'editor', 'viewer', 'support')`;

/** Roles that accounts make. A member or an invitation names one by its id, in place of the name of a fixed role. */
export class AddRoles1765370060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.roles (
        id         UUID PRIMARY KEY,
        account_id UUID NOT NULL REFERENCES dashboard.accounts (id),
        name       TEXT NOT NULL,
        rights     TEXT[] NOT NULL CHECK (
                     cardinality(rights) > 0 AND rights <@ ARRAY['read', 'policies', 'keys', 'money', 'team']),
        created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT roles_name_key UNIQUE (account_id, name),
        CONSTRAINT roles_account_key UNIQUE (account_id, id)
      )`);
    // Both tables are short: people, and invitations of a week.
    for (const [table, onDelete] of [
      ['members', ''],
      ['invitations', ' ON DELETE CASCADE'],
    ] as const)
      await runner.query(`
        ALTER TABLE dashboard.${table}
          DROP CONSTRAINT ${table}_role_check,
          ADD COLUMN role_id UUID GENERATED ALWAYS AS (CASE WHEN ${FIXED} THEN NULL ELSE role::uuid END) STORED,
          ADD CONSTRAINT ${table}_role_fkey FOREIGN KEY (account_id, role_id)
              REFERENCES dashboard.roles (account_id, id)${onDelete}`);
    await allowAuditSubjects(runner, (subjects) => [...subjects, 'role']);
  }

  /** Members with a role of their account's own may read from then on; invitations to such a role go. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM dashboard.invitations WHERE role_id IS NOT NULL`);
    await runner.query(`UPDATE dashboard.members SET role = 'viewer' WHERE role_id IS NOT NULL`);
    for (const table of ['members', 'invitations'])
      await runner.query(`
        ALTER TABLE dashboard.${table}
          DROP CONSTRAINT ${table}_role_fkey, DROP COLUMN role_id,
          ADD CONSTRAINT ${table}_role_check CHECK (${FIXED})`);
    await runner.query(`ALTER TABLE dashboard.audit_log DISABLE TRIGGER audit_log_is_append_only`);
    await runner.query(`DELETE FROM dashboard.audit_log WHERE subject = 'role'`);
    await runner.query(`ALTER TABLE dashboard.audit_log ENABLE TRIGGER audit_log_is_append_only`);
    await allowAuditSubjects(runner, (subjects) => subjects.filter((subject) => subject !== 'role'));
    await runner.query(`DROP TABLE dashboard.roles`);
  }
}
