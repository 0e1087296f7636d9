import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Requests that gateways refused, and a sample of those that they signed, for owners to look at. An entry knows when it
 * is to be forgotten, so that the retention job finds it by an index. An owner who shortens the time, or erases the
 * log, makes a cut: older entries are neither shown nor written, and the same job deletes them.
 */
export class AddRequestLog1765380000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        ADD COLUMN settings_request_log_days INTEGER NOT NULL DEFAULT 7
          CONSTRAINT paymasters_settings_request_log_days_check CHECK (settings_request_log_days BETWEEN 1 AND 30),
        ADD COLUMN settings_request_log_grants_percent INTEGER NOT NULL DEFAULT 0
          CONSTRAINT paymasters_settings_request_log_grants_percent_check
          CHECK (settings_request_log_grants_percent BETWEEN 0 AND 100)`);
    await runner.query(`
      CREATE TABLE dashboard.request_log (
        id             UUID PRIMARY KEY,
        paymaster_id   UUID NOT NULL,
        at             TIMESTAMPTZ NOT NULL,
        expires_at     TIMESTAMPTZ NOT NULL,
        request_id     TEXT NOT NULL,
        chain_id       BIGINT NOT NULL,
        method         TEXT NOT NULL,
        mode           TEXT NOT NULL CHECK (mode IN ('none', 'sponsored', 'token')),
        key            TEXT NOT NULL,
        key_name       TEXT,
        entry_point    TEXT,
        sender         TEXT,
        outcome        TEXT NOT NULL CHECK (outcome IN ('granted', 'refused', 'invalid', 'failed')),
        code           INTEGER,
        reason         TEXT,
        message        TEXT,
        details        JSON NOT NULL,
        duration_ms    REAL NOT NULL,
        user_operation JSON
      )`);
    await runner.query(`
      COMMENT ON COLUMN dashboard.request_log.key IS 'the id of the named key that was used, else main'`);
    for (const columns of INDEXES) {
      await runner.query(`CREATE INDEX ${nameOf(columns)} ON dashboard.request_log (${columns.join(', ')})`);
    }
    await runner.query(`
      CREATE TABLE dashboard.request_log_hours (
        paymaster_id UUID NOT NULL,
        are_grants   BOOLEAN NOT NULL,
        hour         TIMESTAMPTZ NOT NULL,
        asked        BIGINT NOT NULL,
        kept         BIGINT NOT NULL,
        kept_bytes   BIGINT NOT NULL,
        PRIMARY KEY (paymaster_id, are_grants, hour)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      COMMENT ON TABLE dashboard.request_log_hours IS
        'Requests of an hour and those of them that are kept; under the id of zeros, of all paymasters together'`);
    await runner.query(`CREATE INDEX request_log_hours_hour_idx ON dashboard.request_log_hours (hour)`);
    await runner.query(`
      CREATE TABLE dashboard.request_log_cuts (
        paymaster_id UUID PRIMARY KEY,
        before       TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(`
      CREATE FUNCTION dashboard.cut_request_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO dashboard.request_log_cuts AS c
        VALUES (NEW.id, now() - NEW.settings_request_log_days * interval '1 day')
        ON CONFLICT (paymaster_id) DO UPDATE SET before = greatest(c.before, excluded.before);
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER paymasters_cut_request_log AFTER UPDATE OF settings_request_log_days ON dashboard.paymasters
        FOR EACH ROW WHEN (NEW.settings_request_log_days < OLD.settings_request_log_days)
        EXECUTE FUNCTION dashboard.cut_request_log()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER paymasters_cut_request_log ON dashboard.paymasters`);
    await runner.query(`DROP FUNCTION dashboard.cut_request_log()`);
    await runner.query(`DROP TABLE dashboard.request_log_cuts, dashboard.request_log_hours, dashboard.request_log`);
    await runner.query(`
      ALTER TABLE dashboard.paymasters
        DROP COLUMN settings_request_log_days, DROP COLUMN settings_request_log_grants_percent`);
  }
}

/** One for the whole list, one for each filter, and one for what is to be forgotten. */
const INDEXES = [
  ['paymaster_id', 'at', 'id'],
  ...['outcome', 'reason', 'method', 'sender', 'key', 'request_id'].map((column) => [
    ...['paymaster_id', column],
    ...['at', 'id'],
  ]),
  ['expires_at'],
];
const nameOf = (columns: readonly string[]) => `request_log_${columns.join('_')}_idx`;
