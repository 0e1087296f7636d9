import type { MigrationInterface, QueryRunner } from 'typeorm';
import { COUNT_HOLDS } from './1763856500000-add-spending-brakes';
import { CREATE_RESERVE } from './reserve.sql';

/**
 * The amount with which a reservation counts for the brake and for its network, until it lands or can no longer land.
 */
const COUNTS = "state = 'open' AND is_counted";

/**
 * The sums of the rows of a transition table, by wallet and network. A hold counts for a network as long as for the
 * wallet: while the reservation is open. The row '' is for all networks together: what strangers' senders hold, and
 * what operations of new networks will cost.
 */
const countsOf = (rows: string, sign: '' | '-'): string => `
  SELECT wallet_id, network, ${sign}hold_wei AS held,
         CASE WHEN is_counted THEN ${sign}coalesce(expected_wei, hold_wei) ELSE 0 END AS expected,
         CASE WHEN is_counted THEN ${sign}excess_wei ELSE 0 END AS excess
    FROM ${rows} WHERE network IS NOT NULL AND state = 'open'
  UNION ALL
  SELECT wallet_id, '', CASE WHEN is_stranger THEN ${sign}hold_wei ELSE 0 END,
         CASE WHEN is_new_network THEN ${sign}coalesce(expected_wei, hold_wei) ELSE 0 END, 0
    FROM ${rows} WHERE network IS NOT NULL AND (is_stranger OR is_new_network) AND ${COUNTS}`;

const addToNetworks = (counts: string): string => `
  INSERT INTO ledger.networks AS n (wallet_id, network, held_wei, expected_wei, excess_wei)
  SELECT wallet_id, network, sum(held), sum(expected), sum(excess) FROM (${counts}) AS c
   GROUP BY wallet_id, network HAVING sum(held) <> 0 OR sum(expected) <> 0 OR sum(excess) <> 0
   ORDER BY wallet_id, network
  ON CONFLICT (wallet_id, network) DO UPDATE
     SET held_wei = n.held_wei + excluded.held_wei, expected_wei = n.expected_wei + excluded.expected_wei,
         excess_wei = n.excess_wei + excluded.excess_wei`;

/**
 * Counts what operations are expected to cost: for the spending brake, and for each anonymous client network
 * (docs/architecture/ledger.md, "Strangers").
 *
 * Triggers count what is held, as for the brake. So the count is right also for reservations that a process of the
 * former version changes during a rollout. Gateways of the former version call `ledger.reserve`, which keeps its
 * parameters: they take a function with other parameters for a ledger without a schema.
 */
export class CountClientNetworks1763856900000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE ledger.reservations
        ADD COLUMN expected_wei numeric(78,0) CHECK (expected_wei >= 0),
        ADD COLUMN excess_wei numeric(78,0) NOT NULL DEFAULT 0 CHECK (excess_wei >= 0),
        ADD COLUMN network text,
        ADD COLUMN is_new_network boolean NOT NULL DEFAULT false,
        ADD COLUMN is_stranger boolean NOT NULL DEFAULT false,
        ADD COLUMN is_counted boolean NOT NULL DEFAULT true;
      COMMENT ON COLUMN ledger.reservations.expected_wei IS 'What it will cost at the price of the moment; null: hold_wei';
      COMMENT ON COLUMN ledger.reservations.excess_wei IS 'The part of it that is above the gateway''s own answer';
      COMMENT ON COLUMN ledger.reservations.network IS 'Keyed hash of the client''s network; null: not counted per client';
      COMMENT ON COLUMN ledger.reservations.is_new_network IS 'Nothing of its network had landed on an earlier day';
      COMMENT ON COLUMN ledger.reservations.is_stranger IS 'Its sender had landed nothing lately';
      COMMENT ON COLUMN ledger.reservations.is_counted IS 'False: the head is past its validity, and only its hold remains';

      ALTER TABLE ledger.brakes ADD COLUMN expected_wei numeric(78,0) NOT NULL DEFAULT 0 CHECK (expected_wei >= 0);
      COMMENT ON COLUMN ledger.brakes.expected_wei IS 'What open operations will cost that the head is not past';

      CREATE TABLE ledger.networks (
        wallet_id    bigint NOT NULL REFERENCES ledger.wallets,
        network      text COLLATE "C" NOT NULL,
        held_wei     numeric(78,0) NOT NULL DEFAULT 0,
        expected_wei numeric(78,0) NOT NULL DEFAULT 0,
        excess_wei   numeric(78,0) NOT NULL DEFAULT 0,
        strikes      integer NOT NULL DEFAULT 0,
        struck_at    bigint,
        told_hour    bigint,
        PRIMARY KEY (wallet_id, network)
      ) WITH (fillfactor = 50);
      COMMENT ON TABLE ledger.networks IS
        'What open operations of a client network count for in a wallet. Network '''': held_wei is what strangers'' senders hold, expected_wei what operations of new networks will cost';
      COMMENT ON COLUMN ledger.networks.strikes IS 'How often signatures expired that did not land, since the last landing';
      COMMENT ON COLUMN ledger.networks.struck_at IS 'When the last of them expired; unix seconds of chain time';
      COMMENT ON COLUMN ledger.networks.told_hour IS 'The hour of chain time in which its owner was last told of it';

      CREATE TABLE ledger.network_uses (
        wallet_id  bigint NOT NULL REFERENCES ledger.wallets,
        network    text COLLATE "C" NOT NULL,
        minute     bigint NOT NULL,
        cost_wei   numeric(78,0) NOT NULL CHECK (cost_wei >= 0),
        excess_wei numeric(78,0) NOT NULL CHECK (excess_wei >= 0),
        PRIMARY KEY (wallet_id, network, minute)
      );
      COMMENT ON TABLE ledger.network_uses IS
        'What operations of a client network cost when they landed, per minute of chain time. Network '''': of networks that were new';

      CREATE TABLE ledger.network_days (
        wallet_id bigint NOT NULL REFERENCES ledger.wallets,
        network   text COLLATE "C" NOT NULL,
        day       bigint NOT NULL,
        landed    integer NOT NULL,
        PRIMARY KEY (wallet_id, network, day)
      );
      COMMENT ON TABLE ledger.network_days IS 'Operations of a client network that landed, per day of chain time';

      CREATE TABLE ledger.senders (
        wallet_id bigint NOT NULL REFERENCES ledger.wallets,
        sender    text COLLATE "C" NOT NULL,
        landed_at bigint NOT NULL,
        PRIMARY KEY (wallet_id, sender)
      ) WITH (fillfactor = 80);
      COMMENT ON TABLE ledger.senders IS 'When an operation of a sender last landed; unix seconds of chain time';

      CREATE OR REPLACE FUNCTION ledger.count_new_holds() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO ledger.brakes AS b (wallet_id, paymaster_id, held_wei, landed_wei, expected_wei)
        SELECT wallet_id, paymaster_id, sum(hold_wei), coalesce(sum(charged_wei) FILTER (WHERE state = 'landed'), 0),
               coalesce(sum(coalesce(expected_wei, hold_wei)) FILTER (WHERE ${COUNTS}), 0)
          FROM new_rows WHERE paymaster_id IS NOT NULL AND closed_at IS NULL
         GROUP BY wallet_id, paymaster_id
        ON CONFLICT (wallet_id, paymaster_id) DO UPDATE
           SET held_wei = b.held_wei + excluded.held_wei, landed_wei = b.landed_wei + excluded.landed_wei,
               expected_wei = b.expected_wei + excluded.expected_wei;
        IF EXISTS (SELECT FROM new_rows WHERE network IS NOT NULL) THEN
          ${addToNetworks(countsOf('new_rows', ''))};
        END IF;
        RETURN NULL;
      END $$;

      CREATE OR REPLACE FUNCTION ledger.count_changed_holds() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE ledger.brakes AS b
           SET held_wei = b.held_wei + c.held, landed_wei = b.landed_wei + c.landed,
               expected_wei = b.expected_wei + c.expected
          FROM (SELECT wallet_id, paymaster_id, sum(held) AS held, sum(landed) AS landed, sum(expected) AS expected
                  FROM (SELECT wallet_id, paymaster_id, CASE WHEN closed_at IS NULL THEN hold_wei ELSE 0 END AS held,
                               CASE WHEN state = 'landed' THEN charged_wei ELSE 0 END AS landed,
                               CASE WHEN ${COUNTS} THEN coalesce(expected_wei, hold_wei) ELSE 0 END AS expected
                          FROM new_rows
                        UNION ALL
                        SELECT wallet_id, paymaster_id, CASE WHEN closed_at IS NULL THEN -hold_wei ELSE 0 END,
                               CASE WHEN state = 'landed' THEN -charged_wei ELSE 0 END,
                               CASE WHEN ${COUNTS} THEN -coalesce(expected_wei, hold_wei) ELSE 0 END
                          FROM old_rows) AS r
                 WHERE paymaster_id IS NOT NULL GROUP BY wallet_id, paymaster_id) AS c
         WHERE b.wallet_id = c.wallet_id AND b.paymaster_id = c.paymaster_id
           AND (c.held <> 0 OR c.landed <> 0 OR c.expected <> 0);
        IF EXISTS (SELECT FROM new_rows WHERE network IS NOT NULL)
           OR EXISTS (SELECT FROM old_rows WHERE network IS NOT NULL) THEN
          ${addToNetworks(`${countsOf('new_rows', '')} UNION ALL ${countsOf('old_rows', '-')}`)};
        END IF;
        RETURN NULL;
      END $$;

      UPDATE ledger.brakes AS b SET expected_wei = r.held
        FROM (SELECT wallet_id, paymaster_id, sum(hold_wei) AS held FROM ledger.reservations
               WHERE paymaster_id IS NOT NULL AND closed_at IS NULL AND state = 'open'
               GROUP BY wallet_id, paymaster_id) AS r
       WHERE b.wallet_id = r.wallet_id AND b.paymaster_id = r.paymaster_id;
    `);
    await queryRunner.query(CREATE_RESERVE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // No gateway can reserve, until an older version creates its own function.
    await queryRunner.query(`
      DROP FUNCTION ledger.reserve_for_clients;
      ${COUNT_HOLDS}
      DROP TABLE ledger.senders, ledger.network_days, ledger.network_uses, ledger.networks;
      ALTER TABLE ledger.brakes DROP COLUMN expected_wei;
      ALTER TABLE ledger.reservations DROP COLUMN expected_wei, DROP COLUMN excess_wei, DROP COLUMN network,
        DROP COLUMN is_new_network, DROP COLUMN is_stranger, DROP COLUMN is_counted;
    `);
  }
}
