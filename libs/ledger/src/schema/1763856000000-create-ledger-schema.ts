import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tables of the ledger (docs/architecture/ledger.md). Wei and counts are NUMERIC(78,0): what a uint256 can hold. */
export class CreateLedgerSchema1763856000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE ledger.leases (
        chain_id   bigint PRIMARY KEY,
        holder     text NOT NULL,
        token      bigint NOT NULL,
        expires_at timestamptz NOT NULL
      );

      CREATE TABLE ledger.cursors (
        chain_id      bigint PRIMARY KEY,
        token         bigint NOT NULL,
        head_number   bigint NOT NULL,
        head_hash     text NOT NULL,
        head_time     bigint NOT NULL,
        final_number  bigint NOT NULL,
        final_hash    text NOT NULL,
        final_time    bigint NOT NULL,
        halted_reason text,
        updated_at    timestamptz NOT NULL DEFAULT now(),
        CHECK (final_number <= head_number)
      );

      CREATE TABLE ledger.blocks (
        chain_id    bigint NOT NULL,
        number      bigint NOT NULL,
        hash        text NOT NULL,
        parent_hash text NOT NULL,
        time        bigint NOT NULL,
        PRIMARY KEY (chain_id, number)
      );

      CREATE TABLE ledger.wallets (
        id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        chain_id      bigint NOT NULL,
        contract      text NOT NULL CHECK (contract ~ '^0x[0-9a-f]{40}$'),
        wallet        text NOT NULL CHECK (wallet ~ '^0x[0-9a-f]{40}$'),
        balance_wei   numeric(78,0) NOT NULL DEFAULT 0 CHECK (balance_wei >= 0),
        requested_wei numeric(78,0) NOT NULL DEFAULT 0 CHECK (requested_wei >= 0),
        spendable_wei numeric(78,0) NOT NULL DEFAULT 0 CHECK (spendable_wei >= 0),
        held_wei      numeric(78,0) NOT NULL DEFAULT 0 CHECK (held_wei >= 0),
        UNIQUE (chain_id, contract, wallet)
      ) WITH (fillfactor = 50);

      CREATE TABLE ledger.budgets (
        id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        key            text COLLATE "C" NOT NULL UNIQUE,
        paymaster_id   uuid NOT NULL,
        live           boolean NOT NULL,
        limit_amount   numeric(78,0) NOT NULL CHECK (limit_amount >= 0),
        policy_version bigint NOT NULL,
        reserved       numeric(78,0) NOT NULL DEFAULT 0 CHECK (reserved >= 0),
        spent          numeric(78,0) NOT NULL DEFAULT 0 CHECK (spent >= 0),
        ends_at        bigint,
        CHECK (reserved + spent <= limit_amount),
        CHECK (NOT live OR spent = 0)
      ) WITH (fillfactor = 50);
      COMMENT ON COLUMN ledger.budgets.limit_amount IS 'The limit it last granted under';
      COMMENT ON COLUMN ledger.budgets.ends_at IS 'End of its window, unix seconds; null for none';

      CREATE TABLE ledger.reservations (
        id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        wallet_id           bigint NOT NULL REFERENCES ledger.wallets,
        chain_id            bigint NOT NULL,
        entry_point         text NOT NULL,
        entry_point_version text NOT NULL,
        paymaster_id        uuid,
        mode                text NOT NULL CHECK (mode IN ('sponsored', 'token')),
        sender              text NOT NULL,
        nonce               numeric(78,0) NOT NULL,
        hold_wei            numeric(78,0) NOT NULL CHECK (hold_wei >= 0),
        valid_until         bigint NOT NULL,
        state               text NOT NULL CHECK (state IN ('open', 'landed', 'settled', 'voided')),
        void_reason         text CHECK (void_reason IN ('expired', 'nonceUsed', 'undone')),
        user_op_hash        text,
        transaction_hash    text,
        block_number        bigint,
        block_hash          text,
        log_index           integer,
        charged_wei         numeric(78,0),
        actual_gas_cost_wei numeric(78,0),
        success             boolean,
        created_at          timestamptz NOT NULL DEFAULT now(),
        closed_at           timestamptz,
        CHECK ((state = 'voided') = (void_reason IS NOT NULL)),
        CHECK (state NOT IN ('landed', 'settled') OR (user_op_hash IS NOT NULL AND charged_wei IS NOT NULL)),
        CHECK ((closed_at IS NULL) = (state IN ('open', 'landed')))
      );
      COMMENT ON COLUMN ledger.reservations.paymaster_id IS 'Null: it landed without a reservation';
      COMMENT ON COLUMN ledger.reservations.void_reason IS 'undone: landed without a reservation in a block that was undone';
      CREATE UNIQUE INDEX reservations_key ON ledger.reservations (wallet_id, paymaster_id, sender, nonce)
        WHERE closed_at IS NULL;
      CREATE INDEX reservations_nonce ON ledger.reservations (chain_id, entry_point, sender, nonce)
        WHERE closed_at IS NULL;
      CREATE INDEX reservations_expiry ON ledger.reservations (chain_id, valid_until) WHERE state = 'open';
      CREATE INDEX reservations_block ON ledger.reservations (chain_id, block_number) WHERE state = 'landed';
      CREATE UNIQUE INDEX reservations_operation ON ledger.reservations (chain_id, user_op_hash)
        WHERE state IN ('landed', 'settled');

      CREATE TABLE ledger.holds (
        reservation_id bigint NOT NULL,
        budget_id      bigint NOT NULL,
        unit           text NOT NULL CHECK (unit IN ('wei', 'microUsd', 'count')),
        amount         numeric(78,0) NOT NULL CHECK (amount >= 0),
        micro_usd_per_native numeric(78,0),
        spent          numeric(78,0),
        PRIMARY KEY (reservation_id, budget_id),
        CHECK (spent IS NULL OR spent <= amount)
      );
      COMMENT ON TABLE ledger.holds IS 'No foreign keys, here and in entries: checking them costs a reservation a third. verifyBooks does';

      CREATE TABLE ledger.entries (
        id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at             timestamptz NOT NULL DEFAULT now(),
        kind           text NOT NULL,
        wallet_id      bigint,
        budget_id      bigint,
        reservation_id bigint,
        debit          text NOT NULL CHECK (debit IN ('outside', 'available', 'reserved', 'spent')),
        credit         text NOT NULL CHECK (credit IN ('outside', 'available', 'reserved', 'spent')),
        amount         numeric(78,0) NOT NULL CHECK (amount > 0),
        block_number   bigint,
        CHECK ((wallet_id IS NULL) <> (budget_id IS NULL)),
        CHECK (debit <> credit)
      );
      COMMENT ON TABLE ledger.entries IS 'Append-only: amount moves from the debit account to the credit account';
      CREATE INDEX entries_wallet ON ledger.entries (wallet_id, id) WHERE wallet_id IS NOT NULL;
      CREATE INDEX entries_budget ON ledger.entries (budget_id, id) WHERE budget_id IS NOT NULL;

      CREATE TABLE ledger.chain_events (
        chain_id         bigint NOT NULL,
        block_number     bigint NOT NULL,
        block_hash       text NOT NULL,
        log_index        integer NOT NULL,
        transaction_hash text NOT NULL,
        contract         text NOT NULL,
        kind             text NOT NULL,
        wallet_id        bigint REFERENCES ledger.wallets,
        reservation_id   bigint REFERENCES ledger.reservations,
        payload          jsonb NOT NULL,
        walk_wei         numeric(78,0),
        PRIMARY KEY (chain_id, block_number, log_index)
      );
      COMMENT ON TABLE ledger.chain_events IS 'Events of applied blocks; rows of undone blocks are deleted';
      COMMENT ON COLUMN ledger.chain_events.walk_wei IS 'Its amount in the walk that makes spendable_wei; null: not in it';
      CREATE INDEX chain_events_walk ON ledger.chain_events (wallet_id, block_number, log_index)
        WHERE walk_wei IS NOT NULL;

      CREATE TABLE ledger.outbox (
        id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        event_id     uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
        kind         text NOT NULL,
        chain_id     bigint NOT NULL,
        paymaster_id uuid,
        payload      json NOT NULL,
        created_at   timestamptz NOT NULL DEFAULT now(),
        claimed_until timestamptz,
        published_at timestamptz
      ) WITH (toast_tuple_target = 8160);
      COMMENT ON COLUMN ledger.outbox.payload IS 'The event, less eventId (event_id) and atMs (created_at)';
      COMMENT ON COLUMN ledger.outbox.claimed_until IS 'Until then it is being published by somebody';
      CREATE INDEX outbox_unpublished ON ledger.outbox (id) WHERE published_at IS NULL;
      CREATE INDEX outbox_age ON ledger.outbox (created_at);

      CREATE TABLE ledger.outcomes (
        paymaster_id uuid NOT NULL,
        chain_id     bigint NOT NULL,
        minute       bigint NOT NULL,
        landed       integer NOT NULL DEFAULT 0,
        reverted     integer NOT NULL DEFAULT 0,
        PRIMARY KEY (paymaster_id, chain_id, minute)
      );
      COMMENT ON TABLE ledger.outcomes IS 'What landed, per minute of chain time: for the revert breaker';

      CREATE TABLE ledger.reconciliations (
        id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        chain_id     bigint NOT NULL,
        block_number bigint NOT NULL,
        at           timestamptz NOT NULL DEFAULT now(),
        agrees       boolean NOT NULL,
        findings     jsonb NOT NULL
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP SCHEMA ledger CASCADE');
  }
}
