import type { MigrationInterface, QueryRunner } from 'typeorm';

const MONEY = ['spent_usd', 'unpriced', 'received_usd', 'unrecorded'] as const;
const GAS = ['gas_used', 'gas_cost_wei'] as const;

/** The gas that settled operations used, and what the EntryPoint took for it. Nothing tells it of operations from before. */
export class SumGas1765390060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What others write meanwhile would be in neither the old rows nor the new sums.
    await runner.query(`LOCK TABLE dashboard.operations IN SHARE ROW EXCLUSIVE MODE`);
    await runner.query(`ALTER TABLE dashboard.operations ADD COLUMN gas_used NUMERIC(78,0)`);
    await runner.query(
      `COMMENT ON COLUMN dashboard.operations.gas_used IS 'Gas for which the EntryPoint took gas_cost_wei; null: not recorded'`,
    );
    await runner.query(`
      ALTER TABLE dashboard.usage_hours ADD COLUMN gas_used NUMERIC NOT NULL DEFAULT 0,
        ADD COLUMN gas_cost_wei NUMERIC NOT NULL DEFAULT 0`);
    await runner.query(
      `COMMENT ON COLUMN dashboard.usage_hours.gas_cost_wei IS 'Of the operations whose gas_used is recorded'`,
    );
    await keepHours(runner, [...MONEY, ...GAS]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`LOCK TABLE dashboard.operations IN SHARE ROW EXCLUSIVE MODE`);
    await keepHours(runner, MONEY);
    await runner.query(`ALTER TABLE dashboard.usage_hours ${GAS.map((column) => `DROP COLUMN ${column}`).join(', ')}`);
    await runner.query(`ALTER TABLE dashboard.operations DROP COLUMN gas_used`);
  }
}

/** Each column, of an operation that is settled. */
const OF_OPERATION: Readonly<Record<(typeof MONEY | typeof GAS)[number], string>> = {
  spent_usd: 'm.spent_usd',
  unpriced: 'm.unpriced',
  received_usd: 'm.received_usd',
  unrecorded: 'm.unrecorded',
  gas_used: 'coalesce(o.gas_used, 0)',
  gas_cost_wei: 'CASE WHEN o.gas_used IS NULL THEN 0 ELSE coalesce(o.gas_cost_wei, 0) END',
};

/** The trigger that follows each operation's row, with these columns. */
async function keepHours(runner: QueryRunner, columns: readonly (keyof typeof OF_OPERATION)[]): Promise<void> {
  const typed = columns.map((column) => `${column} ${column.startsWith('un') ? 'BIGINT' : 'NUMERIC'}`);
  const sums = columns.map((column) => `sum(${column})`).join(', ');
  await runner.query(`DROP FUNCTION dashboard.usage_hour_of`);
  await runner.query(`
    CREATE FUNCTION dashboard.usage_hour_of(o dashboard.operations, sign INTEGER)
    RETURNS TABLE (paymaster_id UUID, hour TIMESTAMPTZ, ${typed.join(', ')}) LANGUAGE plpgsql STABLE AS $$
    BEGIN
      RETURN QUERY
      SELECT o.paymaster_id, date_trunc('hour', coalesce(o.settled_at, o.updated_at), 'UTC'),
             ${columns.map((column) => `sign * ${OF_OPERATION[column]}`).join(', ')}
        FROM dashboard.money_of(o) m WHERE o.state = 'settled';
    END $$`);
  await runner.query(`
    CREATE OR REPLACE FUNCTION dashboard.keep_usage_hours() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      before dashboard.operations;
    BEGIN
      IF TG_OP = 'UPDATE' THEN before := OLD;
      END IF;
      INSERT INTO dashboard.usage_hours AS u (paymaster_id, hour, ${columns.join(', ')})
      SELECT paymaster_id, hour, ${sums}
        FROM (SELECT * FROM dashboard.usage_hour_of(NEW, 1)
              UNION ALL SELECT * FROM dashboard.usage_hour_of(before, -1)) changes
       GROUP BY paymaster_id, hour HAVING (${sums}) <> (${columns.map(() => '0').join(', ')}) ORDER BY hour
      ON CONFLICT (paymaster_id, hour) DO UPDATE
        SET ${columns.map((column) => `${column} = u.${column} + excluded.${column}`).join(', ')};
      RETURN NULL;
    END $$`);
}
