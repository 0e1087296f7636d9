import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a policy was changed: who edits an old version is told. */
export class AddPolicyVersions1764893100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With a default, so that processes of the version before can still insert policies during a rollout.
    await runner.query(`ALTER TABLE dashboard.policies ADD COLUMN version INTEGER NOT NULL DEFAULT 1`);
    await runner.query(`COMMENT ON COLUMN dashboard.policies.version IS 'Grows with each change'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.policies DROP COLUMN version`);
  }
}
