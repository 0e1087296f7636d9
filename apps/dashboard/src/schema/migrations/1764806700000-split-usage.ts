import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Usage per day, split by what operations called, by policy and by sender. It follows each operation's row, so it comes
 * to the same in whatever order events are projected. Refused operations are left out: strangers can make any number.
 */
export class SplitUsage1764806700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.usage_parts (
        paymaster_id UUID NOT NULL,
        part         TEXT NOT NULL CHECK (part IN ('contract', 'method', 'policy', 'sender')),
        day          DATE NOT NULL,
        key          TEXT NOT NULL,
        granted      BIGINT NOT NULL,
        settled      BIGINT NOT NULL,
        reverted     BIGINT NOT NULL,
        voided       BIGINT NOT NULL,
        spent_wei    NUMERIC(78,0) NOT NULL,
        PRIMARY KEY (paymaster_id, part, day, key)
      )`);
    await runner.query(`
      CREATE FUNCTION dashboard.usage_parts_of(o dashboard.operations, sign INTEGER)
      RETURNS SETOF dashboard.usage_parts LANGUAGE plpgsql STABLE AS $$
      BEGIN
        RETURN QUERY
        SELECT o.paymaster_id, parts.part, (o.created_at AT TIME ZONE 'UTC')::date, parts.key,
               sign * (o.grants > 0)::int::bigint, sign * (o.state = 'settled')::int::bigint,
               sign * (o.state = 'settled' AND o.success IS FALSE)::int::bigint, sign * (o.state = 'voided')::int::bigint,
               (sign * CASE WHEN o.state = 'settled' THEN coalesce(o.actual_cost_wei, 0) ELSE 0 END)::numeric(78,0)
          FROM (SELECT 'sender' AS part, o.sender AS key
                UNION ALL SELECT 'policy', o.policy_id WHERE o.policy_id IS NOT NULL
                UNION ALL SELECT CASE WHEN k LIKE '%:%' THEN 'method' ELSE 'contract' END, k
                            FROM dashboard.keys_of_targets(o.targets) k WHERE k LIKE '%:%' OR length(k) = 42) parts
         WHERE o.state <> 'refused';
      END $$`);
    await runner.query(`
      CREATE FUNCTION dashboard.keep_usage_parts() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        before dashboard.operations;
      BEGIN
        IF TG_OP = 'UPDATE' THEN before := OLD;
        END IF;
        INSERT INTO dashboard.usage_parts AS u
        SELECT paymaster_id, part, day, key, sum(granted), sum(settled), sum(reverted), sum(voided), sum(spent_wei)
          FROM (SELECT * FROM dashboard.usage_parts_of(NEW, 1)
                UNION ALL SELECT * FROM dashboard.usage_parts_of(before, -1)) changes
         GROUP BY paymaster_id, part, day, key
        HAVING (sum(granted), sum(settled), sum(reverted), sum(voided), sum(spent_wei)) <> (0, 0, 0, 0, 0)
         ORDER BY part, day, key
        ON CONFLICT (paymaster_id, part, day, key) DO UPDATE SET
          granted = u.granted + excluded.granted, settled = u.settled + excluded.settled,
          reverted = u.reverted + excluded.reverted, voided = u.voided + excluded.voided,
          spent_wei = u.spent_wei + excluded.spent_wei;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER operations_keep_usage_parts AFTER INSERT OR UPDATE ON dashboard.operations
        FOR EACH ROW EXECUTE FUNCTION dashboard.keep_usage_parts()`);
    await runner.query(`
      INSERT INTO dashboard.usage_parts
      SELECT p.paymaster_id, part, day, key, sum(p.granted), sum(settled), sum(reverted), sum(voided), sum(spent_wei)
        FROM dashboard.operations o, dashboard.usage_parts_of(o, 1) p GROUP BY p.paymaster_id, part, day, key`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER operations_keep_usage_parts ON dashboard.operations`);
    await runner.query(`DROP FUNCTION dashboard.keep_usage_parts`);
    await runner.query(`DROP FUNCTION dashboard.usage_parts_of`);
    await runner.query(`DROP TABLE dashboard.usage_parts`);
  }
}
