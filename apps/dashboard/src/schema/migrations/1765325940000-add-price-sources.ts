import type { MigrationInterface, QueryRunner } from 'typeorm';

const KNOWN = 'num_nonnulls(price_feed_address, price_api_id, price_fixed_usd) >= 1';

/** Sources of a token's price that have no column of their own, by their names: a new kind needs no migration. */
export class AddPriceSources1765325940000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dashboard.tokens
        ADD COLUMN price_others JSONB NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(price_others) = 'object'),
        DROP CONSTRAINT tokens_price_check,
        ADD CONSTRAINT tokens_price_check CHECK (${KNOWN} OR price_others <> '{}')`);
  }

  /** Tokens that have no other source go: the version before could not price them. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM dashboard.tokens WHERE NOT (${KNOWN})`);
    await runner.query(`
      ALTER TABLE dashboard.tokens
        DROP CONSTRAINT tokens_price_check, DROP COLUMN price_others,
        ADD CONSTRAINT tokens_price_check CHECK (${KNOWN})`);
  }
}
