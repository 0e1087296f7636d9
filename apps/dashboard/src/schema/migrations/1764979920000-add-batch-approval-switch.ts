import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether `batchApproval` is offered by a paymaster without a contract and a policy: by those that exist, as before. */
export class AddBatchApprovalSwitch1764979920000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        ADD COLUMN settings_allow_batch_approval_without_rules BOOLEAN NOT NULL DEFAULT true`);
    // Processes of the version before insert paymasters during a rollout; these are new.
    await runner.query(`
      ALTER TABLE dashboard.paymasters ALTER COLUMN settings_allow_batch_approval_without_rules SET DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE dashboard.paymasters DROP COLUMN settings_allow_batch_approval_without_rules`);
  }
}
