import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The usage by mode: each operation once, so that it is the whole that the other splits are parts of. */
export class SplitUsageByMode1765239300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What others write meanwhile would be in neither the old rows nor the new sums.
    await runner.query(`LOCK TABLE dashboard.operations IN SHARE ROW EXCLUSIVE MODE`);
    await takeParts(runner, `'contract', 'method', 'policy', 'sender', 'mode'`);
    await splitBy(runner, `UNION ALL SELECT 'mode', o.mode`);
    await runner.query(`
      INSERT INTO dashboard.usage_parts
      SELECT p.paymaster_id, part, day, key, sum(p.granted), sum(settled), sum(reverted), sum(voided), sum(spent_wei)
        FROM dashboard.operations o, dashboard.usage_parts_of(o, 1) p
       WHERE part = 'mode' GROUP BY p.paymaster_id, part, day, key`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`LOCK TABLE dashboard.operations IN SHARE ROW EXCLUSIVE MODE`);
    await runner.query(`DELETE FROM dashboard.usage_parts WHERE part = 'mode'`);
    await splitBy(runner, '');
    await takeParts(runner, `'contract', 'method', 'policy', 'sender'`);
  }
}

async function takeParts(runner: QueryRunner, parts: string): Promise<void> {
  await runner.query(`
    ALTER TABLE dashboard.usage_parts DROP CONSTRAINT usage_parts_part_check,
      ADD CONSTRAINT usage_parts_part_check CHECK (part IN (${parts}))`);
}

async function splitBy(runner: QueryRunner, more: string): Promise<void> {
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
              ${more}
              UNION ALL SELECT CASE WHEN k LIKE '%:%' THEN 'method' ELSE 'contract' END, k
                          FROM dashboard.keys_of_targets(o.targets) k WHERE k LIKE '%:%' OR length(k) = 42) parts
       WHERE o.state <> 'refused';
    END $$`);
}
