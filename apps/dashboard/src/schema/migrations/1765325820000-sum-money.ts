import type { MigrationInterface, QueryRunner } from 'typeorm';

const MONEY = ['spent_usd', 'unpriced', 'received_usd', 'unrecorded'] as const;

/**
 * What operations cost and brought in: in USD of their own time, and in tokens. Operations from before this say neither
 * a price nor a payment, so sums count them as such.
 */
export class SumMoney1765325820000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What others write meanwhile would be in neither the old rows nor the new sums.
    await runner.query(`LOCK TABLE dashboard.operations IN SHARE ROW EXCLUSIVE MODE`);
    await runner.query(`
      ALTER TABLE dashboard.operations ADD COLUMN key_id TEXT, ADD COLUMN native_usd NUMERIC,
        ADD COLUMN token_prices JSONB, ADD COLUMN paid_token TEXT, ADD COLUMN paid_amount NUMERIC(78,0),
        ADD COLUMN settled_at TIMESTAMPTZ`);
    for (const [column, comment] of Object.entries(COMMENTS)) {
      await runner.query(`COMMENT ON COLUMN dashboard.operations.${column} IS '${comment}'`);
    }
    for (const table of ['usage_hours', 'usage_parts']) {
      await runner.query(`
        ALTER TABLE dashboard.${table} ADD COLUMN spent_usd NUMERIC NOT NULL DEFAULT 0,
          ADD COLUMN unpriced BIGINT NOT NULL DEFAULT 0, ADD COLUMN received_usd NUMERIC NOT NULL DEFAULT 0,
          ADD COLUMN unrecorded BIGINT NOT NULL DEFAULT 0`);
    }
    await runner.query(`ALTER TABLE dashboard.usage_parts ADD COLUMN received NUMERIC NOT NULL DEFAULT 0`);
    await runner.query(
      `COMMENT ON COLUMN dashboard.usage_parts.received IS 'Base units of the token; 0 in all parts but token'`,
    );
    await takeParts(runner, `'contract', 'method', 'policy', 'sender', 'mode', 'key', 'token'`);
    await runner.query(`
      CREATE FUNCTION dashboard.money_of(o dashboard.operations, OUT spent_usd NUMERIC, OUT unpriced BIGINT,
        OUT received NUMERIC, OUT received_usd NUMERIC, OUT unrecorded BIGINT) LANGUAGE plpgsql IMMUTABLE AS $$
      DECLARE
        usd_per_unit NUMERIC := (o.token_prices ->> o.paid_token)::numeric;
        is_settled BOOLEAN := o.state = 'settled';
      BEGIN
        -- Each operation is cut off at the same digit, so that parts add up to their whole.
        spent_usd := CASE WHEN is_settled
          THEN coalesce(trunc(o.actual_cost_wei * o.native_usd * 0.000000000000000001, 12), 0) ELSE 0 END;
        unpriced := (is_settled AND o.native_usd IS NULL)::int;
        received := CASE WHEN is_settled THEN coalesce(o.paid_amount, 0) ELSE 0 END;
        received_usd := CASE WHEN is_settled THEN coalesce(trunc(o.paid_amount * usd_per_unit, 12), 0) ELSE 0 END;
        unrecorded := (is_settled AND CASE WHEN o.paid_amount IS NULL THEN o.mode = 'token'
                                           ELSE o.paid_amount > 0 AND usd_per_unit IS NULL END)::int;
      END $$`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION dashboard.usage_parts_of(o dashboard.operations, sign INTEGER)
      RETURNS SETOF dashboard.usage_parts LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RETURN QUERY
        SELECT o.paymaster_id, parts.part, (o.created_at AT TIME ZONE 'UTC')::date, parts.key,
               sign * (o.grants > 0)::int::bigint, sign * (o.state = 'settled')::int::bigint,
               sign * (o.state = 'settled' AND o.success IS FALSE)::int::bigint, sign * (o.state = 'voided')::int::bigint,
               (sign * CASE WHEN o.state = 'settled' THEN coalesce(o.actual_cost_wei, 0) ELSE 0 END)::numeric(78,0),
               sign * m.spent_usd, sign * m.unpriced, sign * m.received_usd, sign * m.unrecorded,
               CASE WHEN parts.part = 'token' THEN sign * m.received ELSE 0 END
          FROM dashboard.money_of(o) m,
               (SELECT 'sender' AS part, o.sender AS key
                UNION ALL SELECT 'policy', o.policy_id WHERE o.policy_id IS NOT NULL
                UNION ALL SELECT 'mode', o.mode
                UNION ALL SELECT 'key', o.key_id WHERE o.key_id IS NOT NULL
                UNION ALL SELECT 'token', o.paid_token WHERE o.paid_token IS NOT NULL
                UNION ALL SELECT CASE WHEN k LIKE '%:%' THEN 'method' ELSE 'contract' END, k
                            FROM dashboard.keys_of_targets(o.targets) k WHERE k LIKE '%:%' OR length(k) = 42) parts
         WHERE o.state <> 'refused';
      END $$`);
    await runner.query(`
      CREATE FUNCTION dashboard.usage_hour_of(o dashboard.operations, sign INTEGER)
      RETURNS TABLE (paymaster_id UUID, hour TIMESTAMPTZ, spent_usd NUMERIC, unpriced BIGINT, received_usd NUMERIC,
        unrecorded BIGINT) LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RETURN QUERY
        SELECT o.paymaster_id, date_trunc('hour', coalesce(o.settled_at, o.updated_at), 'UTC'),
               sign * m.spent_usd, sign * m.unpriced, sign * m.received_usd, sign * m.unrecorded
          FROM dashboard.money_of(o) m WHERE o.state = 'settled';
      END $$`);
    await keepParts(runner, [...MONEY, 'received']);
    await runner.query(`
      CREATE FUNCTION dashboard.keep_usage_hours() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        before dashboard.operations;
      BEGIN
        IF TG_OP = 'UPDATE' THEN before := OLD;
        END IF;
        INSERT INTO dashboard.usage_hours AS u (paymaster_id, hour, ${MONEY.join(', ')})
        SELECT paymaster_id, hour, ${sums(MONEY)}
          FROM (SELECT * FROM dashboard.usage_hour_of(NEW, 1)
                UNION ALL SELECT * FROM dashboard.usage_hour_of(before, -1)) changes
         GROUP BY paymaster_id, hour HAVING (${sums(MONEY)}) <> (0, 0, 0, 0) ORDER BY hour
        ON CONFLICT (paymaster_id, hour) DO UPDATE SET ${added(MONEY)};
        RETURN NULL;
      END $$`);
    // Triggers fire in the order of their names: behind that of the parts, as everything that locks rows of both does.
    await runner.query(`
      CREATE TRIGGER operations_keep_usage_sums AFTER INSERT OR UPDATE ON dashboard.operations
        FOR EACH ROW EXECUTE FUNCTION dashboard.keep_usage_hours()`);
    // No operation of before has a price or a payment, so each is counted, and none has to be asked what it cost.
    await runner.query(`
      INSERT INTO dashboard.usage_hours AS u (paymaster_id, hour, unpriced, unrecorded)
      SELECT paymaster_id, date_trunc('hour', updated_at, 'UTC') AS hour, count(*), count(*) FILTER (WHERE mode = 'token')
        FROM dashboard.operations WHERE state = 'settled' GROUP BY paymaster_id, hour
      ON CONFLICT (paymaster_id, hour) DO UPDATE
        SET unpriced = u.unpriced + excluded.unpriced, unrecorded = u.unrecorded + excluded.unrecorded`);
    await runner.query(`UPDATE dashboard.usage_parts SET unpriced = settled WHERE settled > 0`);
    await runner.query(`
      UPDATE dashboard.usage_parts u SET unrecorded = of_parts.unrecorded
        FROM (SELECT p.paymaster_id, part, day, key, sum(p.unrecorded) AS unrecorded
                FROM dashboard.operations o, dashboard.usage_parts_of(o, 1) p
               WHERE o.state = 'settled' AND o.mode = 'token' GROUP BY p.paymaster_id, part, day, key) of_parts
       WHERE (u.paymaster_id, u.part, u.day, u.key) =
             (of_parts.paymaster_id, of_parts.part, of_parts.day, of_parts.key)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`LOCK TABLE dashboard.operations IN SHARE ROW EXCLUSIVE MODE`);
    await runner.query(`DROP TRIGGER operations_keep_usage_sums ON dashboard.operations`);
    await runner.query(`DROP FUNCTION dashboard.keep_usage_hours`);
    await runner.query(`DROP FUNCTION dashboard.usage_hour_of`);
    await keepParts(runner, []);
    await runner.query(`DELETE FROM dashboard.usage_parts WHERE part IN ('key', 'token')`);
    await takeParts(runner, `'contract', 'method', 'policy', 'sender', 'mode'`);
    await runner.query(`ALTER TABLE dashboard.usage_parts DROP COLUMN received`);
    for (const table of ['usage_hours', 'usage_parts']) {
      await runner.query(`ALTER TABLE dashboard.${table} ${MONEY.map((column) => `DROP COLUMN ${column}`).join(', ')}`);
    }
    await runner.query(`
      CREATE OR REPLACE FUNCTION dashboard.usage_parts_of(o dashboard.operations, sign INTEGER)
      RETURNS SETOF dashboard.usage_parts LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RETURN QUERY
        SELECT o.paymaster_id, parts.part, (o.created_at AT TIME ZONE 'UTC')::date, parts.key,
               sign * (o.grants > 0)::int::bigint, sign * (o.state = 'settled')::int::bigint,
               sign * (o.state = 'settled' AND o.success IS FALSE)::int::bigint, sign * (o.state = 'voided')::int::bigint,
               (sign * CASE WHEN o.state = 'settled' THEN coalesce(o.actual_cost_wei, 0) ELSE 0 END)::numeric(78,0)
          FROM (SELECT 'sender' AS part, o.sender AS key
                UNION ALL SELECT 'policy', o.policy_id WHERE o.policy_id IS NOT NULL
                UNION ALL SELECT 'mode', o.mode
                UNION ALL SELECT CASE WHEN k LIKE '%:%' THEN 'method' ELSE 'contract' END, k
                            FROM dashboard.keys_of_targets(o.targets) k WHERE k LIKE '%:%' OR length(k) = 42) parts
         WHERE o.state <> 'refused';
      END $$`);
    await runner.query(`DROP FUNCTION dashboard.money_of`);
    await runner.query(`
      ALTER TABLE dashboard.operations ${[...Object.keys(COMMENTS), 'key_id', 'settled_at']
        .map((column) => `DROP COLUMN ${column}`)
        .join(', ')}`);
  }
}

const COMMENTS = {
  native_usd: 'USD per whole coin of the chain when it was granted; null: not recorded',
  token_prices: 'USD per base unit of the tokens for which it was granted, at that time',
  paid_token: 'The token in which its sender paid; null: in none',
  paid_amount: 'Base units of that token, 0 where its sender paid in none; null: not recorded',
};

const sums = (columns: readonly string[]): string => columns.map((column) => `sum(${column})`).join(', ');
const added = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = u.${column} + excluded.${column}`).join(', ');

async function takeParts(runner: QueryRunner, parts: string): Promise<void> {
  await runner.query(`
    ALTER TABLE dashboard.usage_parts DROP CONSTRAINT usage_parts_part_check,
      ADD CONSTRAINT usage_parts_part_check CHECK (part IN (${parts}))`);
}

/** The trigger that follows each operation's row, with these columns besides those that it always had. */
async function keepParts(runner: QueryRunner, more: readonly string[]): Promise<void> {
  const columns = ['granted', 'settled', 'reverted', 'voided', 'spent_wei', ...more];
  await runner.query(`
    CREATE OR REPLACE FUNCTION dashboard.keep_usage_parts() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      before dashboard.operations;
    BEGIN
      IF TG_OP = 'UPDATE' THEN before := OLD;
      END IF;
      INSERT INTO dashboard.usage_parts AS u (paymaster_id, part, day, key, ${columns.join(', ')})
      SELECT paymaster_id, part, day, key, ${sums(columns)}
        FROM (SELECT * FROM dashboard.usage_parts_of(NEW, 1)
              UNION ALL SELECT * FROM dashboard.usage_parts_of(before, -1)) changes
       GROUP BY paymaster_id, part, day, key
      HAVING (${sums(columns)}) <> (${columns.map(() => '0').join(', ')})
       ORDER BY part, day, key
      ON CONFLICT (paymaster_id, part, day, key) DO UPDATE SET ${added(columns)};
      RETURN NULL;
    END $$`);
}
