import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happened in an account, numbered in the order of commits, for pages that follow it. Kept for a day. */
export class AddAccountEvents1764806640000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.account_event_counters (
        account_id  UUID PRIMARY KEY,
        last_number BIGINT NOT NULL
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      COMMENT ON TABLE dashboard.account_event_counters IS
        'Its row is locked until the event commits, so a reader that has seen a number has seen all lower ones'`);
    await runner.query(`
      CREATE TABLE dashboard.account_events (
        account_id UUID NOT NULL,
        number     BIGINT NOT NULL,
        at         TIMESTAMPTZ NOT NULL DEFAULT now(),
        type       TEXT NOT NULL,
        data       JSONB NOT NULL,
        PRIMARY KEY (account_id, number)
      )`);
    await runner.query(`CREATE INDEX account_events_at_idx ON dashboard.account_events (at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.account_events`);
    await runner.query(`DROP TABLE dashboard.account_event_counters`);
  }
}
