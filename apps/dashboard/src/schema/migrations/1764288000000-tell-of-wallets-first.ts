import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a webhook is told of its wallet is found among whatever else waits for it. */
export class TellOfWalletsFirst1764288000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX webhook_deliveries_wallet_idx ON dashboard.webhook_deliveries (webhook_id, next_attempt_at)
        WHERE status = 'pending' AND type LIKE 'wallet.%'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX dashboard.webhook_deliveries_wallet_idx`);
  }
}
