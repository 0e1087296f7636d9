import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Client networks that used half of what one network may take of a wallet in an hour. */
export class AddNearNetworks1764979980000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dashboard.near_networks (
        paymaster_id UUID NOT NULL,
        contract     TEXT NOT NULL,
        network      TEXT NOT NULL,
        used_wei     NUMERIC(78, 0) NOT NULL,
        room_wei     NUMERIC(78, 0) NOT NULL,
        at           TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (paymaster_id, contract, network)
      )`);
    await runner.query(`
      COMMENT ON COLUMN dashboard.near_networks.network IS 'Its name in the ledger; no address stands here in clear'`);
    await runner.query(`CREATE INDEX near_networks_at_idx ON dashboard.near_networks (at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dashboard.near_networks`);
  }
}
