import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Settings of token mode, and the tokens that paymasters add. */
export class AddTokenMode1763769600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // With defaults, so that processes of the version before can still insert paymasters during a rollout.
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        ADD COLUMN settings_token_mode TEXT NOT NULL DEFAULT 'anyCall'
                   CONSTRAINT paymasters_settings_token_mode_check
                   CHECK (settings_token_mode IN ('anyCall', 'whitelistedCalls', 'off')),
        ADD COLUMN settings_token_charging_ways TEXT[] NOT NULL DEFAULT '{allowance,permit,batchApproval}'
                   CONSTRAINT paymasters_settings_token_charging_ways_check
                   CHECK (settings_token_charging_ways <@ ARRAY['allowance', 'permit', 'batchApproval']
                          AND cardinality(settings_token_charging_ways) <= 3),
        ADD COLUMN settings_token_fee_receiver TEXT
                   CONSTRAINT paymasters_settings_token_fee_receiver_check
                   CHECK (settings_token_fee_receiver ~ '^0x[0-9a-f]{40}$' AND settings_token_fee_receiver !~ '^0x0{40}$')`);
    await runner.query(`
      CREATE TABLE dashboard.tokens (
        id                           UUID PRIMARY KEY,
        paymaster_id                 UUID NOT NULL REFERENCES dashboard.paymasters (id),
        address                      TEXT NOT NULL CHECK (address ~ '^0x[0-9a-f]{40}$' AND address !~ '^0x0{40}$'),
        symbol                       TEXT NOT NULL CHECK (char_length(symbol) BETWEEN 1 AND 64),
        decimals                     SMALLINT NOT NULL CHECK (decimals BETWEEN 0 AND 36),
        logo_url                     TEXT CHECK (logo_url LIKE 'https://%' AND char_length(logo_url) <= 2048),
        price_feed_address           TEXT CHECK (price_feed_address ~ '^0x[0-9a-f]{40}$'),
        price_feed_heartbeat_seconds INTEGER CHECK (price_feed_heartbeat_seconds BETWEEN 1 AND 604800),
        price_api_id                 TEXT CHECK (price_api_id ~ '^[A-Za-z0-9._-]{1,100}$'),
        price_fixed_usd              TEXT CHECK (price_fixed_usd ~ '^[0-9]{1,18}(\\.[0-9]{1,18})?$'
                                                 AND price_fixed_usd ~ '[1-9]'),
        premium_millionths           INTEGER NOT NULL CHECK (premium_millionths BETWEEN 0 AND 1000000),
        exposure_cap_wei             NUMERIC(78, 0) CHECK (exposure_cap_wei >= 0),
        charging_ways                TEXT[] NOT NULL
                                     CHECK (charging_ways <@ ARRAY['allowance', 'permit', 'batchApproval']
                                            AND cardinality(charging_ways) BETWEEN 1 AND 3),
        transfer_gas                 INTEGER NOT NULL CHECK (transfer_gas > 0),
        created_at                   TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT tokens_paymaster_id_address_key UNIQUE (paymaster_id, address),
        CONSTRAINT tokens_price_feed_check
          CHECK ((price_feed_address IS NULL) = (price_feed_heartbeat_seconds IS NULL)),
        CONSTRAINT tokens_price_check CHECK (num_nonnulls(price_feed_address, price_api_id, price_fixed_usd) >= 1)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.tokens`);
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        DROP COLUMN settings_token_fee_receiver,
        DROP COLUMN settings_token_charging_ways,
        DROP COLUMN settings_token_mode`);
  }
}
