import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What became of operations, read from the event stream: a copy that can be made again, so without foreign keys. */
export class AddOperations1763942400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.operations (
        id                  UUID PRIMARY KEY,
        paymaster_id        UUID NOT NULL,
        chain_id            BIGINT NOT NULL,
        reservation_id      TEXT UNIQUE,
        state               TEXT NOT NULL CHECK (state IN ('granted', 'refused', 'landed', 'settled', 'voided')),
        mode                TEXT NOT NULL,
        sender              TEXT NOT NULL,
        nonce               NUMERIC(78,0) NOT NULL,
        entry_point_version TEXT NOT NULL,
        request_id          TEXT,
        grants              INTEGER NOT NULL DEFAULT 0,
        policy_id           TEXT,
        policy_version      BIGINT,
        reason              TEXT,
        message             TEXT,
        details             JSON,
        targets             JSON,
        trace               JSON,
        funding_wallet      TEXT,
        expected_cost_wei   NUMERIC(78,0),
        valid_until         BIGINT,
        actual_cost_wei     NUMERIC(78,0),
        gas_cost_wei        NUMERIC(78,0),
        success             BOOLEAN,
        user_op_hash        TEXT,
        transaction_hash    TEXT,
        block_number        NUMERIC(78,0),
        void_reason         TEXT,
        created_at          TIMESTAMPTZ NOT NULL,
        updated_at          TIMESTAMPTZ NOT NULL
      )`);
    await runner.query(
      `CREATE INDEX operations_paymaster_id_created_at_id_idx ON dashboard.operations (paymaster_id, created_at, id)`,
    );
    await runner.query(`
      CREATE INDEX operations_paymaster_id_state_created_at_id_idx
        ON dashboard.operations (paymaster_id, state, created_at, id)`);
    await runner.query(`
      CREATE INDEX operations_paymaster_id_sender_created_at_id_idx
        ON dashboard.operations (paymaster_id, sender, created_at, id)`);
    await runner.query(`
      CREATE TABLE dashboard.usage_hours (
        paymaster_id   UUID NOT NULL,
        hour           TIMESTAMPTZ NOT NULL,
        granted        BIGINT NOT NULL DEFAULT 0,
        refused        BIGINT NOT NULL DEFAULT 0,
        settled        BIGINT NOT NULL DEFAULT 0,
        reverted       BIGINT NOT NULL DEFAULT 0,
        voided         BIGINT NOT NULL DEFAULT 0,
        spent_wei      NUMERIC(78,0) NOT NULL DEFAULT 0,
        PRIMARY KEY (paymaster_id, hour)
      )`);
    await runner.query(`
      CREATE TABLE dashboard.consumed_events (
        event_id    UUID PRIMARY KEY,
        consumed_at TIMESTAMPTZ NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX consumed_events_consumed_at_idx ON dashboard.consumed_events (consumed_at)`);
    await runner.query(`
      CREATE TABLE dashboard.dead_events (
        id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at         TIMESTAMPTZ NOT NULL DEFAULT now(),
        consumer   TEXT NOT NULL,
        event_id   TEXT,
        subject    TEXT NOT NULL,
        body       TEXT NOT NULL,
        deliveries INTEGER NOT NULL,
        problem    TEXT NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['dead_events', 'consumed_events', 'usage_hours', 'operations']) {
      await runner.query(`DROP TABLE dashboard.${table}`);
    }
  }
}
